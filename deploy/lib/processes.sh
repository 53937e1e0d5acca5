# shellcheck shell=bash
# Sourced. Background processes known by pid and start time, so that a reused pid is never taken for ours.
# A record is a file RUN/NAME holding "PID STARTTIME".

start_time_of() {
  local stat
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
  # The command's name (field 2) may hold blanks: cut behind its closing parenthesis; start time is field 22.
  # shellcheck disable=SC2086
  set -- ${stat##*) }
  [[ $1 != Z ]] || return 1  # Ended, and its parent has not looked yet.
  echo "${20}"
}

# pid_of RUN NAME: prints the pid of a process that we started and that still runs.
pid_of() {
  local pid started
  read -r pid started 2>/dev/null <"$1/$2" || return 1
  [[ $(start_time_of "$pid") == "$started" ]] && echo "$pid"
}

# start_process RUN NAME LOG COMMAND…
start_process() {
  local run=$1 name=$2 log=$3 pid
  shift 3
  pid_of "$run" "$name" >/dev/null && return 0
  setsid -- "$@" >>"$log" 2>&1 </dev/null &
  pid=$!
  echo "$pid $(start_time_of "$pid")" >"$run/$name"
}

# stop_process RUN NAME SECONDS: SIGTERM, then SIGKILL once SECONDS are over.
stop_process() {
  local pid deadline=$((SECONDS + $3))
  if pid=$(pid_of "$1" "$2"); then
    kill -TERM "$pid" 2>/dev/null
    while pid_of "$1" "$2" >/dev/null; do
      ((SECONDS < deadline)) || { kill -KILL "$pid" 2>/dev/null; break; }
      sleep 0.1
    done
  fi
  rm -f -- "$1/$2"
}
