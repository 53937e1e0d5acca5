"""Joins what QEMU gives a guestfwd command, its standard input and output, to a TCP port: relay.py HOST PORT."""

import selectors
import socket
import sys


def main():
    guest = socket.socket(fileno=sys.stdin.fileno())
    host = socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=10)
    host.settimeout(None)
    selector = selectors.DefaultSelector()
    selector.register(guest, selectors.EVENT_READ, host)
    selector.register(host, selectors.EVENT_READ, guest)
    while True:
        for key, _ in selector.select():
            data = key.fileobj.recv(65536)
            if not data:
                return
            key.data.sendall(data)


if __name__ == "__main__":
    main()
