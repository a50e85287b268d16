#!/usr/bin/env bash
# Talk to a character, look inside, and make another one, with nothing but curl.
# Takes: the server's address (default http://127.0.0.1:8321), and a key in API_KEY.
set -euo pipefail

url=${1:-http://127.0.0.1:8321}

ask() { # METHOD PATH [JSON]
    local body=()
    if [ $# -gt 2 ]; then body=(-H 'Content-Type: application/json' -d "$3"); fi
    curl -sS -N --fail-with-body -X "$1" "$url$2" \
        ${API_KEY:+-H "Authorization: Bearer $API_KEY"} ${body[@]+"${body[@]}"}
    echo
}

echo '# Is it there, and who is?'
ask GET /healthz
ask GET /v1/models

echo '# A reply, whole and in pieces'
ask POST /v1/chat/completions '{
    "model": "ada-byrne",
    "messages": [{"role": "user", "content": "Who taught you to trim the lamp?"}]
}'
ask POST /v1/chat/completions '{
    "model": "ada-byrne", "stream": true,
    "messages": [{"role": "user", "content": "Have you ever used a smartphone?"}]
}'

echo '# What a reply would rest on, at a point in the story'
ask POST /api/characters/ada-byrne/recall '{
    "question": "What did the stranger pay with?",
    "as_of": "ada.md#How she came to the rock"
}'

echo '# Another character: made, given a text, asked, deleted'
ask POST /api/characters '{"name": "Tom Byrne"}'
made=$(ask POST /api/characters/tom-byrne/documents '{
    "documents": [{"name": "tom.md", "text": "# Tom Byrne\n\nTom Byrne mended nets in Galway."}]
}')
echo "$made"
ingestion=$(sed -E 's/.*"id":"([0-9a-f]+)".*/\1/' <<<"$made")
ask GET "/api/characters/tom-byrne/ingestions/$ingestion/events"
ask POST /api/characters/tom-byrne/ask '{"question": "What did you mend in Galway?"}'
ask DELETE /api/characters/tom-byrne
