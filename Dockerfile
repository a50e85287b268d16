# The server in a container: `docker build -t offbook .`; see docs/deployment.md.

FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY src ./src
RUN python -m venv /opt/offbook \
 && /opt/offbook/bin/pip install --no-cache-dir ".[server,postgres,pdf]"

FROM python:3.12-slim
# A number, so that clusters can see that it is not root.
RUN useradd --system --uid 10001 --create-home offbook \
 && install --directory --owner=10001 --group=offbook --mode=0700 /data
COPY --from=build /opt/offbook /opt/offbook
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
HEALTHCHECK --interval=30s --timeout=6s --start-period=30s --retries=3 \
  CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8321/healthz', timeout=5)"]
ENTRYPOINT ["offbook"]
CMD ["serve"]
