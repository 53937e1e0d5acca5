# shellcheck shell=bash
# Sourced. Long steps with an estimate, a live line on a terminal, one line each half minute elsewhere.

die() {
  echo "shakedown: $*" >&2
  exit 1
}

clock_text() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

# The last thing a log tells, for a progress line: ninja's and make's counters, else its last words.
progress_of() {
  tail -c 4000 "$1" 2>/dev/null | tr '\r' '\n' | sed 's/\x1b\[[0-9;?]*[A-Za-z]//g' | tr -cd '[:print:]\n' |
    grep -v '^ *$' | tail -n 1 | cut -c 1-56
}

# step TITLE ESTIMATE_SECONDS LOG COMMAND…: runs a command with its output in LOG; on failure shows its end.
step() {
  local title=$1 estimate=$2 log=$3 started=$SECONDS shown=$SECONDS pid status
  shift 3
  printf '%s (about %s)\n' "$title" "$(clock_text "$estimate")"
  "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  while kill -0 "$pid" 2>/dev/null; do
    if [[ -t 1 ]]; then
      printf '\r\033[K  %s of about %s  %s' "$(clock_text $((SECONDS - started)))" \
        "$(clock_text "$estimate")" "$(progress_of "$log")"
    elif ((SECONDS - shown >= 30)); then
      shown=$SECONDS
      printf '  %s of about %s  %s\n' "$(clock_text $((SECONDS - started)))" \
        "$(clock_text "$estimate")" "$(progress_of "$log")"
    fi
    sleep 0.5
  done
  status=0
  wait "$pid" || status=$?
  [[ ! -t 1 ]] || printf '\r\033[K'
  if ((status)); then
    echo "  failed after $(clock_text $((SECONDS - started))); the end of $log:" >&2
    tail -n 25 "$log" >&2
    return "$status"
  fi
  echo "  done in $(clock_text $((SECONDS - started)))"
}
