# The server in a container: `docker build -t offbook .`; see docs/deployment.md.

# What offbook needs, without offbook: built again where pyproject.toml changes, and only there.
FROM python:3.12-slim AS libraries
WORKDIR /source
COPY pyproject.toml ./
RUN python -m venv --without-pip /opt/offbook \
 && mkdir -p src/offbook \
 && touch README.md LICENSE NOTICE src/offbook/__init__.py \
 && pip --python /opt/offbook install --no-cache-dir ".[ui,postgres,pdf]" \
 && pip --python /opt/offbook uninstall --yes offbook

# offbook alone, laid out as it will stand beside them.
FROM libraries AS package
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY src ./src
RUN pip --python /opt/offbook install --no-cache-dir --no-deps --root /installed .

FROM python:3.12-slim
# A number, so that clusters can see that it is not root.
RUN useradd --uid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin offbook \
 && install --directory --owner=10001 --group=10001 --mode=0700 /data
COPY --from=libraries /opt/offbook /opt/offbook
COPY --from=package /installed/opt/offbook /opt/offbook
ENV PATH=/opt/offbook/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    OFFBOOK_HOME=/data \
    OFFBOOK_SERVER_HOST=0.0.0.0 \
    OFFBOOK_SERVER_PORT=8321
USER 10001
WORKDIR /data
VOLUME ["/data"]
EXPOSE 8321
STOPSIGNAL SIGTERM
# Asked directly: a proxy that containers are told of does not reach this address.
HEALTHCHECK --interval=10s --timeout=6s --start-period=30s --retries=3 \
  CMD ["python", "-c", "import urllib.request as u; u.build_opener(u.ProxyHandler({})).open('http://127.0.0.1:8321/healthz', timeout=5)"]
ENTRYPOINT ["offbook"]
CMD ["serve"]
