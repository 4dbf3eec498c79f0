#!/usr/bin/env bash
# The whole path through public commands and HTTP, each step asserted.
# Needs a running `make run` in this checkout, or MEMORYKIT_URL and the servers' addresses.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON_BIN:-${VENV:-.venv}/bin/python}
command -v "$python" > /dev/null || { echo "tour: there is no environment yet: start \`make run\` in another shell." >&2; exit 1; }
work=$(mktemp -d)
trap leave EXIT
tenant=demo
project=tour-$(date +%s)-$$

say() { printf '%s\n' "== $*"; }
fail() { printf 'tour: %s\n' "$*" >&2; exit 1; }
leave() {
    rm -rf "$work"
    for minted in ${agent:-} ${desk:-}; do
        minted=${minted#mk_}
        manage memorykit_hostkey revoke "${minted%%_*}" > /dev/null || true
    done
}
manage() { "$python" manage.py "$@"; }
# value EXPRESSION: what the JSON on standard input, called d, gives.
value() { "$python" -c 'import json, sys; d = json.load(sys.stdin); print(eval(sys.argv[1]))' "$1"; }

if [ -z "${MEMORYKIT_URL:-}" ]; then
    MEMORYKIT_URL=$("$python" -m project.run.address) || exit 1
fi

# call KEY METHOD PATH [BODY]: the answer goes to standard output, any status but 2xx ends the tour.
call() {
    "$python" - "$MEMORYKIT_URL/v1/projects/$project/$3" "$1" "$2" "${4:-}" <<'PYTHON'
import sys, urllib.error, urllib.request
url, key, method, body = sys.argv[1:]
request = urllib.request.Request(url, method=method, data=body.encode() or None, headers={
    "Authorization": f"Bearer {key}", "Content-Type": "application/json"})
try:
    with urllib.request.urlopen(request, timeout=30) as answer:
        sys.stdout.write(answer.read().decode())
except urllib.error.HTTPError as error:
    sys.exit(f"tour: {method} {url} answered {error.code}: {error.read().decode()}")
PYTHON
}

recalled() { # recalled QUESTION [EXPRESSION]: by HTTP
    call "$agent" POST recall "{\"query\": \"$1\", \"keys\": [\"$key\"]}" \
        | value "${2:-[item['content'] for item in d['items']]}"
}

verb() { # verb NAME [MORE FIELDS]: on the record, with the version it has now
    local version
    version=$(call "$desk" GET "memories/$id" | value "d['version']")
    call "$desk" POST "memories/$id/$1" \
        "{\"expected_version\": $version, \"reason\": \"tour\"${2:+, $2}}" > "$work/answer.json"
}

say "Mint a key for the agent host and one for the desk"
agent=$(manage memorykit_hostkey create --tenant "$tenant" --project "$project" --name "tour agent" \
    --capability read --capability propose --json | value "d['key']")
desk=$(manage memorykit_hostkey create --tenant "$tenant" --project "$project" --name "tour desk" \
    --capability read --capability review --capability write_explicit --capability erase \
    --user reviewer --json | value "d['key']")

say "Hand in a finished transcript"
before="We decided to use PostgreSQL 16 for the billing service."
after="We decided to use PostgreSQL 18 for the billing service."
cat > "$work/transcript.jsonl" <<JSONL
{"role": "user", "content": "$before"}
{"role": "assistant", "content": "Understood."}
JSONL
manage memorykit_extract "$work/transcript.jsonl" --tenant "$tenant" --project "$project" \
    --wait --json > "$work/extracted.json"
id=$(value "d['candidates'][0]['id']" < "$work/extracted.json")
key=$(value "d['candidates'][0]['key']" < "$work/extracted.json")
question="Which database does the billing service use?"

say "The candidate $id is not recalled"
[ "$(recalled "$question")" = "[]" ] || fail "a candidate was recalled"
[ "$(manage memorykit_recall "$question" --tenant "$tenant" --project "$project" --json \
    | value "d['items']")" = "[]" ] || fail "the command recalled a candidate"

say "Activate it, and wait until all three channels find it"
verb activate
channels=""
for _ in $(seq 60); do
    channels=$(recalled "$question" "sorted(d['items'][0]['ranks'])")
    [ "$channels" != "['exact', 'full_text', 'vector']" ] || break
    sleep 0.5
done
[ "$channels" = "['exact', 'full_text', 'vector']" ] || fail "only $channels found it"
say "Recalled $SECONDS s after the start of this tour"

say "Correct it: the old words are gone"
verb correct "\"content\": \"$after\", \"importance\": 60, \"confidence\": 0.9"
[ "$(recalled "$question")" = "['$after']" ] || fail "the correction is not what is recalled"

say "Forget it, and restore it"
verb forget
[ "$(recalled "$question")" = "[]" ] || fail "a forgotten record was recalled"
verb restore
[ "$(recalled "$question")" = "['$after']" ] || fail "a restored record was not recalled"

say "Erase it, and prove it"
printf '%s\n' "$before" "$after" "for the billing service" > "$work/probes.txt"
version=$(call "$desk" GET "memories/$id" | value "d['version']")
receipt=$(manage memorykit_erase --tenant "$tenant" --project "$project" --id "$id" \
    --reason tour --yes --json | value "d['receipt']")
[ "$(recalled "$question")" = "[]" ] || fail "an erased record was recalled"
manage memorykit_verify_erasure "$receipt" --probe-file "$work/probes.txt"

say "Extracting the same transcript again brings nothing back"
manage memorykit_extract "$work/transcript.jsonl" --tenant "$tenant" --project "$project" \
    --run-id again --wait --json | value "len(d['candidates'])" | grep -qx 0 \
    || fail "an erased fact came back"

say "Done: extracted, reviewed, recalled, corrected, forgotten, restored, erased"
