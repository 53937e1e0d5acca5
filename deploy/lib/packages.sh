# shellcheck shell=bash
# Sourced. install_packages: Debian packages of deploy/packages.txt, quiet and without a network when present.

# Prints the packages of the list that are not installed, one a line.
missing_packages() {
  local name condition program
  while read -r name condition program; do
    [[ -z $name || $name == \#* ]] && continue
    [[ $condition != unless ]] || ! command -v "$program" >/dev/null || continue
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null) == installed ]] || echo "$name"
  done <"$1"
}

as_root() {
  if ((EUID == 0)); then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo -- "$@"
  else
    echo "shakedown: not root and no sudo: run as root: $*" >&2
    return 1
  fi
}

# install_packages LIST
install_packages() {
  local -a wanted
  make_qemu_user || return
  mapfile -t wanted < <(missing_packages "$1")
  ((${#wanted[@]})) || return 0
  echo "installing ${#wanted[@]} Debian packages: ${wanted[*]}"
  as_root apt-get -q update || return
  # A PostgreSQL cluster of the system is not wanted: the farm has one of its own.
  as_root mkdir -p /etc/postgresql-common
  [[ -e /etc/postgresql-common/createcluster.conf ]] ||
    echo 'create_main_cluster = false' | as_root tee /etc/postgresql-common/createcluster.conf >/dev/null
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "${wanted[@]}"
}

# libvirt's QEMU driver run by root looks its built-in user and group up before it reads any configuration and
# refuses to start without them. Debian makes them in libvirt-daemon-system, which brings a daemon,
# firewall rules and a bridge: nothing of that is wanted here.
make_qemu_user() {
  ((EUID == 0)) || return 0
  getent group libvirt-qemu >/dev/null || groupadd --system libvirt-qemu || return
  getent passwd libvirt-qemu >/dev/null ||
    useradd --system --gid libvirt-qemu --home-dir /var/lib/libvirt --no-create-home \
      --shell /usr/sbin/nologin --comment "Libvirt Qemu" libvirt-qemu
}
