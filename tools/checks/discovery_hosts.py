# SPDX-License-Identifier: Apache-2.0
"""The cases of `tools/check discovery`: two hosts on one machine, each with a D-Bus, an Avahi and `iap2`.

It runs in namespaces that `unshare` made. The hosts are network namespaces, joined by a pair of virtual interfaces.
It prints one line of JSON: the number of cases and what was wrong.
"""
from __future__ import annotations

import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path={bus}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow user="*"/><allow own="*"/><allow send_type="method_call"/>
<allow send_type="signal"/><allow send_requested_reply="true"/><allow receive_type="method_call"/>
<allow receive_type="signal"/><allow receive_requested_reply="true"/></policy></busconfig>"""
AVAHI = "[server]\nhost-name={name}\nuse-ipv4=yes\nuse-ipv6=yes\nenable-dbus=yes\n[publish]\npublish-hinfo=no\n" \
    "publish-workstation=no\n"
# The limit of a wait. Most take less than two seconds; a busy machine may need more.
PATIENCE = 60.0


class Fault(Exception):
    """Something that a case found wrong."""


class Host:
    """A host: a network namespace with a D-Bus and an Avahi of its own."""

    def __init__(self, name: str, folder: pathlib.Path, address: str):
        self.name, self.address, self.folder = name, address, folder / name
        self.folder.mkdir()
        self.bus = self.folder / "bus"
        self.environment = dict(os.environ, DBUS_SYSTEM_BUS_ADDRESS=f"unix:path={self.bus}",
                                XDG_STATE_HOME=str(self.folder / "state"),
                                PATH=os.environ["PATH"] + ":/usr/sbin:/sbin")
        self.avahi: subprocess.Popen | None = None
        self.daemon: subprocess.Popen | None = None
        (self.folder / "bus.conf").write_text(BUS.format(bus=self.bus))
        (self.folder / "avahi.conf").write_text(AVAHI.format(name=name))

    def start(self, *command: str, **options) -> subprocess.Popen:
        """Starts a program on the host."""
        return subprocess.Popen(["ip", "netns", "exec", self.name, *command], env=self.environment, text=True,
                                stdin=subprocess.DEVNULL, **options)

    def run(self, *command: str) -> subprocess.CompletedProcess:
        """Runs a program on the host."""
        return subprocess.run(["ip", "netns", "exec", self.name, *command], env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=PATIENCE)

    def start_daemons(self) -> None:
        """Starts D-Bus and Avahi."""
        with open(self.folder / "dbus.log", "w", encoding="utf-8") as log:
            self.daemon = self.start("dbus-daemon", f"--config-file={self.folder}/bus.conf", "--nofork", stdout=log, stderr=log)
        wait(f"the bus of {self.name}", self.bus.exists)
        self.start_avahi()

    def start_avahi(self) -> None:
        """Starts Avahi. Its folder in /run belongs to it alone."""
        with open(self.folder / "avahi.log", "a", encoding="utf-8") as log:
            self.avahi = self.start(
                "unshare", "--mount", "sh", "-c",
                "mkdir -p /run/avahi-daemon && mount -t tmpfs none /run/avahi-daemon && exec avahi-daemon "
                f"--no-drop-root --no-chroot --no-rlimits -f {self.folder}/avahi.conf", stdout=log, stderr=log)
        wait(f"Avahi of {self.name}", lambda: self.run("avahi-browse", "-pt", "_none._tcp").returncode == 0)

    def stop_avahi(self) -> None:
        """Ends Avahi."""
        assert self.avahi
        self.avahi.terminate()
        self.avahi.wait(PATIENCE)

    def stop_daemons(self) -> None:
        """Ends D-Bus, and Avahi with it."""
        assert self.daemon
        self.stop_avahi()
        self.daemon.kill()
        self.daemon.wait(PATIENCE)
        self.bus.unlink()

    def browse(self, service: str) -> list[list[str]]:
        """Returns what Avahi's own tool finds: the fields of each resolved service."""
        lines = self.run("avahi-browse", "-rpt", service).stdout.splitlines()
        return [line.split(";", 9) for line in lines if line.startswith("=")]


class Program:
    """A command of `iap2` that runs on a host, and its events."""

    def __init__(self, host: Host, *arguments: str):
        self.name = f"{' '.join(arguments[:2])} on {host.name}"
        self.events: list[dict] = []
        self.errors: list[str] = []
        self.process = host.start(IAP2, *arguments, "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.threads = [threading.Thread(target=self.read_events, daemon=True),
                        threading.Thread(target=self.read_errors, daemon=True)]
        for thread in self.threads:
            thread.start()

    def read_events(self) -> None:
        """Collects the lines of the output."""
        assert self.process.stdout
        for line in self.process.stdout:
            self.events.append(json.loads(line))

    def read_errors(self) -> None:
        """Collects the lines of the other output."""
        assert self.process.stderr
        for line in self.process.stderr:
            self.errors.append(line.rstrip())

    def all(self, name: str, /, **values: object) -> list[dict]:
        """Returns the events of a name that have these values."""
        return [event for event in list(self.events)
                if event["event"] == name and all(event.get(key) == value for key, value in values.items())]

    def await_event(self, name: str, count: int = 1, /, **values: object) -> dict:
        """Waits for an event, or for the so many-th one."""
        wait(f"{name} {values or ''} of {self.name}", lambda: len(self.all(name, **values)) >= count, self)
        return self.all(name, **values)[count - 1]

    def live(self, count: int = 1) -> None:
        """Waits for a live session."""
        self.await_event("carPlaySession", count, state="live")

    def stop(self) -> int:
        """Ends the program as Ctrl-C does, and returns its status."""
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(PATIENCE)
        for thread in self.threads:
            thread.join(PATIENCE)
        return status

    def text(self) -> str:
        """What the program said, for a fault."""
        return "\n".join([json.dumps(event) for event in self.events[-24:]] + self.errors[-5:])


def wait(what: str, condition, program: Program | None = None) -> None:
    """Waits until a condition is true."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end or program and program.process.poll() is not None and not condition():
            raise Fault(f"no {what}")
        time.sleep(0.02)


def demand(is_true: bool, fault: object) -> None:
    """Demands that something is true."""
    if not is_true:
        raise Fault(str(fault))


@contextlib.contextmanager
def programs(*started: Program):
    """Ends programs behind a case. A fault has the output of each."""
    try:
        yield started
    except Fault as fault:
        raise Fault("\n".join([str(fault), *(f"of {program.name}:\n{program.text()}" for program in started)])) from fault
    finally:
        for program in started:
            if program.process.poll() is None:
                program.process.kill()
                program.process.wait()


def head_unit(*arguments: str) -> Program:
    """Starts a head unit that announces itself."""
    return Program(CAR, "carplay", "headunit", "--announce", "My car", *arguments)


def phone(*arguments: str) -> Program:
    """Starts a phone that trusts the head unit."""
    return Program(PHONE, "carplay", "phone", *arguments)


def head_units() -> list[dict]:
    """Returns the head units with an address that `iap2 devices` finds from the phone's host."""
    said = PHONE.run(IAP2, "devices", "--network", "--json")
    demand(said.returncode == 0, said)
    devices = [json.loads(line) for line in said.stdout.splitlines()]
    return [device for device in devices if device.get("service") == "_airplay._tcp" and "address" in device]


def await_head_units(program: Program) -> list[dict]:
    """Waits until `iap2 devices` finds head units."""
    found: list[dict] = []

    def look() -> bool:
        found[:] = head_units()
        return bool(found)

    wait("head unit among the devices", look, program)
    return found


def case_nothing_is_announced_unasked() -> None:
    """A head unit without --announce is not found."""
    with programs(Program(CAR, "carplay", "headunit", "--listen", "[::]:0")) as (car,):
        car.await_event("carPlayListening")
        time.sleep(2)
        demand(not PHONE.browse("_airplay._tcp"), "a head unit without --announce is announced")
        said = PHONE.run(IAP2, "devices", "--network", "--network-seconds", "1")
        demand(said.returncode == 0 and "no head unit" in said.stderr, said)


def case_the_record_is_the_one_that_avahi_shows() -> None:
    """Avahi's own tool shows name, port and TXT record; a goodbye removes them."""
    with programs(head_unit()) as (car,):
        port = car.await_event("carPlayAdvertised")["port"]
        wait("record", lambda: PHONE.browse("_airplay._tcp"), car)
        found = [fields for fields in PHONE.browse("_airplay._tcp") if fields[1] == "wlan0"]
        demand(bool(found), "the record is not on the shared network")
        for fields in found:
            demand(fields[3] == r"My\032car" and fields[8] == str(port), fields)
            text = dict(re.findall(r'"([^"=]+)=([^"]*)"', fields[9]))
            keys = {"deviceid", "features", "flags", "model", "srcvers", "pi", "pk"}
            demand(set(text) == keys, text)
            demand(re.fullmatch(r"(..:){5}..", text["deviceid"]) is not None, text)
            demand(re.fullmatch(r"0x[0-9a-f]+,0x[0-9a-f]+", text["features"]) is not None, text)
            demand(re.fullmatch(r"[0-9a-f]{64}", text["pk"]) is not None, text)
        shown = await_head_units(car)
        demand({device["address"].split("%")[0] for device in shown} == {fields[7] for fields in found}, shown)
        for device in shown:
            demand(device.get("pairingID") == text["pi"] and "problems" not in device, device)
        car.stop()
        wait("goodbye", lambda: not PHONE.browse("_airplay._tcp"))


def case_a_called_phone_connects_and_is_called_no_more() -> None:
    """The control request brings the phone, which ends in order and is then left alone. Both captures have it."""
    files = [host.folder / "called.pcapng" for host in (CAR, PHONE)]
    with programs(head_unit("--call", "any", "--capture", str(files[0])),
                  phone("--announce", "--name", "Phone", "--capture", str(files[1]))) as (car, telephone):
        call = telephone.await_event("carPlayCalled")
        demand(call["form"] == "decimal" and call["name"] == "My car", call)
        demand("fe80::" in telephone.await_event("carPlayConnects")["address"], telephone.text())
        car.live()
        telephone.live()
        demand(len(car.all("carPlayCalls")) == 1, car.text())
        # The phone stays on the network, and the user ended the session.
        demand(telephone.stop() == 0, telephone.text())
        car.await_event("carPlayEnded", cause="teardown")
        car.await_event("carPlayLost")
        demand(len(car.all("carPlayCalls")) == 1 and len(car.all("carPlayEnded")) == 1, car.text())
        car.stop()
    for file in files:
        said = CAR.run(IAP2, "explain", str(file)).stdout
        for words in ("asks the phone at", "answers with status 200", "connects "):
            demand(words in said, said)


def case_a_head_unit_with_a_link_serves_phones_without_one() -> None:
    """A known pair meets on the network first, while the head unit still waits for a link."""
    with programs(Program(CAR, "headunit", "--transport", f"unix-listen:{CAR.folder}/link", "--carplay", "--scenario",
                          "wireless", "--announce", "My car", "--call", "any"),
                  phone("--announce", "--name", "Phone")) as (car, telephone):
        telephone.live()
        car.live()
        demand(telephone.stop() == 0, telephone.text())
        car.await_event("carPlayEnded", cause="teardown")


def case_a_phone_finds_its_head_unit_by_name_and_address() -> None:
    """Without a call, by any word of the user."""
    with programs(head_unit()) as (car,):
        car.await_event("carPlayAdvertised")
        address = await_head_units(car)[0]["deviceID"]
        for count, words in enumerate(("any", "My car", address), 1):
            with programs(phone("--find", words)) as (telephone,):
                telephone.live()
                car.live(count)
                demand(telephone.stop() == 0, telephone.text())
                car.await_event("carPlayEnded", count, cause="teardown")
        with programs(phone("--find", "Another car", "--seconds", "2")) as (telephone,):
            demand(telephone.process.wait(PATIENCE) == 69, telephone.text())


def case_a_second_head_unit_gets_a_number() -> None:
    """Two head units with one name, on two hosts, are told by name and address."""
    with programs(head_unit(), Program(PHONE, "carplay", "headunit", "--announce", "My car")) as both:
        for program in both:
            program.await_event("carPlayAdvertised")
        # Avahi may announce first and find the other name afterwards. Two that begin at once may both lose a name.
        wait("another name", lambda: len({program.all("carPlayAdvertised")[-1]["name"] for program in both}) == 2, both[0])
        for program in both:
            name = program.all("carPlayAdvertised")[-1]["name"]
            demand(re.fullmatch("My car( #[2-5])?", name) is not None, name)


def case_the_pair_meets_again_after_the_network_was_lost() -> None:
    """Both sides end once, and meet again by themselves."""
    with programs(head_unit("--call", "any"), phone("--announce", "--name", "Phone")) as (car, telephone):
        car.live()
        PHONE.run("ip", "link", "set", "wlan0", "down")
        for program in (car, telephone):
            program.await_event("carPlayEnded")
        PHONE.run("ip", "link", "set", "wlan0", "up")
        PHONE.run("ip", "addr", "replace", f"{PHONE.address}/24", "dev", "wlan0")
        for program in (telephone, car):
            program.live(2)
            demand(len(program.all("carPlayEnded")) == 1, program.text())


def case_the_pair_meets_again_on_a_new_interface() -> None:
    """The interface is deleted and made again, as by every unplug of a cable; the records of both return."""
    with programs(head_unit("--call", "any"), phone("--announce", "--name", "Phone")) as (car, telephone):
        car.live()
        PHONE.run("ip", "link", "del", "wlan0")
        for program in (car, telephone):
            program.await_event("carPlayEnded")
        join()
        for program in (car, telephone):
            program.live(2)
            demand(len(program.all("carPlayEnded")) == 1, program.text())


def case_the_pair_meets_without_ipv6_and_without_ipv4() -> None:
    """A network with one family of addresses is enough."""
    def set_ipv6(is_on: bool) -> None:
        for host in (CAR, PHONE):
            host.run("sh", "-c", f"echo {0 if is_on else 1} >/proc/sys/net/ipv6/conf/wlan0/disable_ipv6")

    set_ipv6(False)
    try:
        with programs(head_unit(), phone("--find", "any")) as (car, telephone):
            telephone.live()
            demand(telephone.await_event("carPlayConnects")["address"].startswith("192.0.2.1:"), telephone.text())
    finally:
        set_ipv6(True)
    for host in (CAR, PHONE):
        host.run("ip", "addr", "flush", "dev", "wlan0", "scope", "global")
    try:
        with programs(head_unit("--call", "any"), phone("--announce", "--name", "Phone")) as (car, telephone):
            telephone.live()
            demand("fe80::" in telephone.await_event("carPlayConnects")["address"], telephone.text())
    finally:
        for host in (CAR, PHONE):
            host.run("ip", "addr", "add", f"{host.address}/24", "dev", "wlan0")


def case_the_pair_meets_again_on_another_interface() -> None:
    """Two networks join the hosts. The one that carries the session is lost, and the other one takes over."""
    subprocess.run("ip link add wlan1 netns car type veth peer name wlan1 netns phone".split(), check=True)
    for host in (CAR, PHONE):
        host.run("ip", "link", "set", "wlan1", "up")
    try:
        with programs(head_unit(), phone("--find", "any")) as (car, telephone):
            telephone.live()
            used = re.search(r"%(wlan\d)", telephone.await_event("carPlayConnects")["address"])
            demand(used is not None, telephone.text())
            PHONE.run("ip", "link", "set", used.group(1), "down")
            telephone.live(2)
            demand(used.group(1) not in telephone.all("carPlayConnects")[-1]["address"], telephone.text())
            demand(len(car.all("carPlayEnded")) == 1 and len(telephone.all("carPlayEnded")) == 1, telephone.text())
    finally:
        PHONE.run("ip", "link", "del", "wlan1")
        PHONE.run("ip", "link", "set", "wlan0", "up")
        PHONE.run("ip", "addr", "replace", f"{PHONE.address}/24", "dev", "wlan0")


def case_the_bus_restarts() -> None:
    """The system's bus ends and comes back: the head unit is announced again."""
    with programs(head_unit()) as (car,):
        car.await_event("carPlayAdvertised")
        CAR.stop_daemons()
        car.await_event("carPlayDiscovery", state="gone")
        CAR.start_daemons()
        car.await_event("carPlayDiscovery", state="back")
        car.await_event("carPlayAdvertised", 2)


def case_a_dead_record_keeps_nobody_from_the_car() -> None:
    """A record behind which nobody listens comes first; the phone goes on to the next head unit."""
    ghost = CAR.start("avahi-publish", "-s", "AAA", "_airplay._tcp", "4444", "deviceid=02:00:00:00:00:77",
                      "features=0x44540380,0x61", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait("record", lambda: PHONE.browse("_airplay._tcp"))
        with programs(phone("--find", "any", "--once", "--seconds", "30")) as (telephone,):
            telephone.await_event("carPlayCallFailed", name="AAA")
            with programs(head_unit()) as (car,):
                telephone.live()
                car.live()
        with programs(phone("--find", "AAA", "--once", "--seconds", "2")) as (telephone,):
            demand(telephone.process.wait(PATIENCE) == 69, telephone.text())
    finally:
        ghost.terminate()


def case_avahi_restarts() -> None:
    """The head unit is announced again, and says so."""
    with programs(head_unit()) as (car,):
        car.await_event("carPlayAdvertised")
        CAR.stop_avahi()
        car.await_event("carPlayDiscovery", state="gone")
        CAR.start_avahi()
        car.await_event("carPlayDiscovery", state="back")
        car.await_event("carPlayAdvertised", 2)
        with programs(phone("--find", "any")) as (telephone,):
            telephone.live()


def case_control_requests_of_others_are_answered() -> None:
    """Requests of Python's HTTP client: decimal, hexadecimal, wrong."""
    with programs(head_unit(), phone("--announce", "--name", "Phone")) as (car, telephone):
        car.await_event("carPlayAdvertised")
        port = telephone.await_event("carPlayAdvertised")["port"]
        wait("record", lambda: [fields for fields in PHONE.browse("_airplay._tcp") if fields[1] == "wlan0"], car)
        text = [fields for fields in PHONE.browse("_airplay._tcp") if fields[1] == "wlan0"][0][9]
        number = re.search(r'"deviceid=([^"]*)"', text).group(1).replace(":", "")
        path = "/ctrl-int/1/connect"
        for method, place, value, status in (
                ("GET", "/", number, 404), ("POST", path, number, 501), ("GET", path, None, 400), ("GET", path, "x", 400)):
            demand(request(port, method, place, value) == status, (method, place, value, telephone.text()))
        telephone.await_event("carPlayCallRefused", 4)
        demand(not telephone.all("carPlayConnects"), telephone.text())
        # A connection that says nothing hinders nobody.
        with on_host(CAR, lambda: socket.create_connection((PHONE.address, port), PATIENCE)):
            demand(request(port, "GET", path, number) == 200, telephone.text())
        demand(telephone.await_event("carPlayCalled")["form"] == "hexadecimal", telephone.text())
        telephone.live()


def case_a_phone_that_refuses_is_asked_seven_times() -> None:
    """A server of Python that answers with an error, announced by Avahi's own tool."""
    count = []
    server = on_host(PHONE, lambda: socket.create_server(("", 0), family=socket.AF_INET6, dualstack_ipv6=True))

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = server.accept()
                count.append(connection.recv(1000))
                connection.sendall(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
                connection.close()

    threading.Thread(target=serve, daemon=True).start()
    published = PHONE.start("avahi-publish", "-s", "Other phone", "_carplay-ctrl._tcp", str(server.getsockname()[1]),
                            "id=02:00:00:00:00:09", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with programs(head_unit("--call", "02:00:00:00:00:09")) as (car,):
            last = car.await_event("carPlayCallFailed", 7)
            demand(last["pauses"] and last["reason"] == "status 503", last)
            time.sleep(3)
            demand(len(count) == 7, len(count))
            request_text = count[0].decode()
            demand(request_text.startswith("GET /ctrl-int/1/connect HTTP/1.1\r\n"), request_text)
            demand(re.search(r"\r\nAirPlay-Receiver-Device-ID: [0-9]+\r\n", request_text) is not None, request_text)
    finally:
        published.terminate()
        server.close()


def case_wrong_records_are_named() -> None:
    """`iap2 devices --network` says what is wrong with the records of others, and escapes their texts."""
    wrong = CAR.start("avahi-publish", "-s", "Bad\x1b[31mcar", "_airplay._tcp", "7000", "deviceid=1", "features=7",
                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait("record", lambda: PHONE.browse("_airplay._tcp"))
        said = PHONE.run(IAP2, "devices", "--network")
        for words in ("deviceid is 1, not AA:BB", "features is 7, not 0xLOW,0xHIGH", "no srcvers"):
            demand(words in said.stdout, said)
        demand("\x1b" not in said.stdout, "a name from the network controls the terminal")
        with programs(phone("--find", "any", "--seconds", "3")) as (telephone,):
            demand(telephone.process.wait(PATIENCE) == 69 and not telephone.all("carPlayConnects"), telephone.text())
    finally:
        wrong.terminate()


def case_without_avahi_the_next_step_is_said() -> None:
    """Without a daemon the commands end with 69."""
    CAR.stop_avahi()
    try:
        for arguments in (["devices", "--network"], ["carplay", "headunit", "--announce", "My car"],
                          ["carplay", "phone", "--find", "any"], ["carplay", "phone", "--announce"]):
            said = CAR.run(IAP2, *arguments)
            demand(said.returncode == 69 and "systemctl start avahi-daemon" in said.stderr, said)
    finally:
        CAR.start_avahi()


def on_host(host: Host, body):
    """Runs something on a thread that is on a host, and returns its result."""
    result: list = []

    def enter() -> None:
        try:
            with open(f"/run/netns/{host.name}", encoding="utf-8") as file:
                if LIBC.setns(file.fileno(), 0x40000000):
                    raise OSError("setns")
            result.append(body())
        except OSError as error:
            result.append(error)

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    if isinstance(result[0], OSError):
        raise result[0]
    return result[0]


def request(port: int, method: str, path: str, value: str | None) -> int:
    """Sends a control request from the car's host, and returns the status."""
    def send() -> int:
        connection = http.client.HTTPConnection(PHONE.address, port, timeout=PATIENCE)
        connection.request(method, path, headers={} if value is None else {"AirPlay-Receiver-Device-ID": value})
        return connection.getresponse().status
    return on_host(CAR, send)


def set_up(folder: pathlib.Path) -> tuple[Host, Host]:
    """Creates the two hosts and what joins them."""
    subprocess.run(["mount", "-t", "tmpfs", "none", "/run"], check=True)
    hosts = Host("car", folder, "192.0.2.1"), Host("phone", folder, "192.0.2.2")
    for host in hosts:
        subprocess.run(["ip", "netns", "add", host.name], check=True)
        host.run("ip", "link", "set", "lo", "up")
    join(*hosts)
    for host in hosts:
        host.start_daemons()
    return hosts


def join(*hosts: Host) -> None:
    """Makes the interfaces of both hosts, one cable."""
    subprocess.run("ip link add wlan0 netns car type veth peer name wlan0 netns phone".split(), check=True)
    for host in hosts or (CAR, PHONE):
        host.run("ip", "addr", "add", f"{host.address}/24", "dev", "wlan0")
        host.run("ip", "link", "set", "wlan0", "up")


def fault_of(body) -> str | None:
    """Runs a case, or what comes before all of them, and returns its fault."""
    try:
        body()
    except Fault as fault:
        return str(fault)
    except Exception:  # pylint: disable=broad-exception-caught
        return traceback.format_exc().rstrip()
    return None


def main() -> None:
    """Runs the cases. One that fails gets a second attempt, because a busy machine may be too slow for a case."""
    cases = {name[5:].replace("_", " "): body for name, body in globals().items() if name.startswith("case_")}
    faults, again = [], []
    for name, body in cases.items():
        if len(sys.argv) > 3 and not re.search(sys.argv[3], body.__name__):
            continue
        if (first := fault_of(body)) is None:
            continue
        second = fault_of(body)
        (again if second is None else faults).append(f"{name}: {first}" + ("" if second in (None, first) else f"\nagain: {second}"))
    print(json.dumps({"cases": len(cases), "faults": faults, "again": again}))


if __name__ == "__main__":
    import ctypes
    LIBC = ctypes.CDLL(None, use_errno=True)
    IAP2 = sys.argv[1]
    CAR, PHONE = set_up(pathlib.Path(sys.argv[2]))
    main()
