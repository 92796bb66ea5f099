# SPDX-License-Identifier: Apache-2.0
"""What others may not do: texts that are markup, other pages, and requests without the secret."""

import base64
import http.client
import json
import os
import socket
import unittest

from playwright.sync_api import expect

from tests.lab import LabTest

HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>\u202e"
SCENARIO = {
    "name": "hostile", "carPlay": True, "headUnit": {"features": "all"},
    "phone": {
        "apps": [{"name": HOSTILE, "bundle": "com.example.hostile", "protocols": ["com.automaker.climate"],
                  "carPlay": ["com.automaker.climate"]}],
        "queue": [{"title": HOSTILE, "artist": HOSTILE, "seconds": 100}]},
    "steps": [{"expect": {"headUnit": "authenticated"}}, {"expect": {"headUnit": "nowPlaying"}},
              {"headUnit": {"press": "play"}}, {"phone": {"call": {"name": HOSTILE, "number": HOSTILE}}},
              {"wait": 1000}],
}
ELEMENTS = "img, iframe, object, embed, body script, a[href], svg image"


class Texts(LabTest):
    def watch(self, tab):
        tab.page.add_init_script(
            "window.violations = []; addEventListener('securitypolicyviolation', (event) => "
            "violations.push(`${event.violatedDirective} ${event.blockedURI}`), true)")

    def expect_only_text(self, tab):
        self.assertEqual(tab.page.locator(ELEMENTS).count(), 0)
        self.assertEqual(tab.page.evaluate("window.violations"), [])

    def test_hostile_names_of_a_scenario_stay_text_in_every_panel(self):
        file = self.folder / "hostile.yaml"
        # JSON is YAML.
        file.write_text(json.dumps(SCENARIO), encoding="utf-8")
        lab = self.lab("--scenario", file)
        tab = self.tab("about:blank")
        self.watch(tab)
        tab.open(lab.address)
        tab.page.get_by_role("button", name="Play", exact=True).click()
        expect(tab.page.locator("#phone .card bdi").filter(has_text="<img src=x").first).to_be_visible()
        expect(tab.page.locator("#phone .apps")).to_contain_text("<img src=x")
        expect(tab.page.locator("#parts")).to_contain_text("<img src=x")
        expect(tab.rows("<img src=x").first).to_be_visible()
        tab.page.fill("#search", "<img src=x")
        tab.page.press("#search", "Enter")
        expect(tab.page.locator("#detail")).to_contain_text("<img src=x")
        self.expect_only_text(tab)

    def test_hostile_steps_stay_text_in_notes_and_the_ladder(self):
        lab = self.app()
        tab = self.tab("about:blank")
        self.watch(tab)
        tab.open(lab.address)
        tab.wait_for_picture()
        tab.send_line(f"tap: {json.dumps(HOSTILE)}")
        tab.expect_note("<img src=x")
        expect(tab.rows("<img src=x").first).to_be_visible()
        tab.page.fill("#filter", HOSTILE)
        expect(tab.page.locator("#ladder .problem")).to_be_visible()
        self.expect_only_text(tab)

    def test_a_saved_session_with_hostile_texts_stays_text(self):
        tab = self.car()
        tab.send_line(f"tap: {json.dumps('</script><img src=x onerror=alert(3)>')}")
        tab.expect_note("<img src=x")
        file = self.folder / "session.html"
        file.write_text(tab.save_text("html"), encoding="utf-8")
        stored = self.tab(file.as_uri())
        expect(stored.page.locator("html")).to_have_attribute("data-state", "stored")
        expect(stored.rows("<img src=x").first).to_be_visible()
        self.assertEqual(stored.page.locator(ELEMENTS.replace("body script", "body script:not([type])")).count(), 0)

    def test_the_page_of_a_session_has_no_violation_of_its_policy(self):
        lab = self.app()
        tab = self.tab("about:blank")
        self.watch(tab)
        tab.open(lab.address)
        tab.wait_for_picture()
        tab.click_part("Places")
        tab.page.keyboard.press("?")
        expect(tab.page.locator("dialog.help")).to_be_visible()
        tab.page.keyboard.press("Escape")
        tab.save_text("yaml")
        tab.save_bytes("picture")
        self.assertEqual(tab.page.evaluate("window.violations"), [])
        self.assertEqual(tab.problems, [])

    def test_the_policy_refuses_scripts_in_the_page_and_other_servers(self):
        lab = self.app()
        tab = self.tab("about:blank", may_report=("Content Security Policy", "ERR_BLOCKED", "Fetch API"))
        self.watch(tab)
        tab.open(lab.address)
        tab.page.evaluate("""async () => {
          const script = document.createElement("script");
          script.textContent = "window.hasRun = true";
          document.body.append(script);
          try { await fetch("http://127.0.0.1:1/"); } catch { /* as wanted */ }
        }""")
        tab.wait("two violations", "() => window.violations.length >= 2")
        self.assertIsNone(tab.page.evaluate("window.hasRun ?? null"))
        self.assertEqual({violation.split()[0] for violation in tab.page.evaluate("window.violations")},
                         {"script-src-elem", "connect-src"})


class Access(LabTest):
    def setUp(self):
        super().setUp()
        self.server = self.app()
        self.host = f"127.0.0.1:{self.server.port}"

    def get(self, path, host=None, method="GET"):
        """Returns the status, the headers and the body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        self.addCleanup(connection.close)
        connection.request(method, path, headers={"Host": self.host if host is None else host})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()

    def socket_status(self, path, **headers):
        """Asks for the socket. Returns the status of the answer; 101 for an open one."""
        lines = {"Host": self.host, "Origin": f"http://{self.host}", "Upgrade": "websocket", "Connection": "Upgrade",
                 "Sec-WebSocket-Version": "13",
                 "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(), **headers}
        request = f"GET {path} HTTP/1.1\r\n" + "".join(
            f"{name}: {value}\r\n" for name, value in lines.items() if value is not None) + "\r\n"
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=30) as connection:
            connection.sendall(request.encode())
            answer = connection.recv(4096)
        # No answer is a refusal too.
        return int(answer.split()[1]) if answer else 0

    def test_only_addresses_with_the_secret_have_files(self):
        secret = self.server.secret
        self.assertEqual(self.get(f"/{secret}/")[0], 200)
        self.assertEqual(self.get(f"/{secret}/main.js")[0], 200)
        for path in ("/", "/main.js", "/index.html", f"/{secret[:-1]}/", f"/{secret}x/", f"/{secret[::-1]}/main.js",
                     f"/x/../{secret}x/main.js", "//", "/socket", f"/{secret}", f"/{secret}/../main.js",
                     f"/{secret}/x"):
            status, _, body = self.get(path)
            self.assertEqual(status, 404, path)
            self.assertNotIn(b"<script", body, path)
            self.assertNotIn(secret.encode(), body, path)

    def test_only_the_own_names_of_the_server_are_answered(self):
        for host in (self.host, f"localhost:{self.server.port}"):
            self.assertEqual(self.get(f"/{self.server.secret}/", host)[0], 200, host)
        for host in ("example.com", f"example.com:{self.server.port}", "127.0.0.1.example.com", ""):
            self.assertEqual(self.get(f"/{self.server.secret}/", host)[0], 404, host)

    def test_only_reading_is_allowed(self):
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            self.assertEqual(self.get(f"/{self.server.secret}/", method=method)[0], 405, method)

    def test_only_the_own_page_opens_the_socket(self):
        path = f"/{self.server.secret}/socket"
        self.assertEqual(self.socket_status(path), 101)
        for headers in ({"Origin": None}, {"Origin": "null"}, {"Origin": "http://example.com"},
                        {"Origin": f"http://127.0.0.1:{self.server.port + 1}"}, {"Origin": f"https://{self.host}"},
                        {"Host": "example.com", "Origin": "http://example.com"}):
            self.assertNotEqual(self.socket_status(path, **headers), 101, headers)
        for other in ("/socket", f"/{self.server.secret[::-1]}/socket", f"/{self.server.secret}/main.js"):
            self.assertNotEqual(self.socket_status(other), 101, other)

    def test_every_answer_has_the_policy(self):
        for path in (f"/{self.server.secret}/", f"/{self.server.secret}/main.js", "/"):
            _, headers, _ = self.get(path)
            policy = headers["Content-Security-Policy"]
            self.assertIn("default-src 'none'", policy)
            self.assertNotIn("unsafe", policy)
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            self.assertEqual(headers["Referrer-Policy"], "no-referrer")

    def test_another_page_of_the_browser_gets_nothing(self):
        tab = self.tab("about:blank", may_report=("",))
        stranger = f"http://localhost:{self.server.port}/"
        tab.page.goto(stranger)
        # The secret is given here, and the origin is another one.
        result = tab.page.evaluate("""async ([page, socket]) => {
          const read = await fetch(page).then((answer) => answer.text()).catch(() => "refused");
          const opened = await new Promise((done) => {
            const one = new WebSocket(socket);
            one.onopen = () => done("opened");
            one.onerror = () => done("refused");
          }).catch(() => "refused");
          return [read, opened];
        }""", [self.server.address, self.server.address.replace("http:", "ws:") + "socket"])
        self.assertEqual(result, ["refused", "refused"])

    def test_a_page_that_goes_away_with_a_finger_on_the_screen_does_not_keep_it_there(self):
        first = self.tab(self.server)
        first.wait_for_picture()
        place = first.picture().bounding_box()
        first.page.mouse.move(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
        first.page.mouse.down()
        first.page.reload()
        first.wait_for_picture()
        first.click_part("Places")
        first.expect_screen("grid")

    def test_nonsense_on_the_socket_ends_nothing(self):
        tab = self.tab(self.server)
        tab.wait_for_picture()
        tab.page.evaluate("""async (address) => {
          const socket = new WebSocket(address);
          await new Promise((done) => { socket.onopen = done; });
          for (const text of ["", "{", "[]", '{"do":"explode"}', '{"do":"verb"}', '{"do":"speed","value":1e9}',
            '{"ask":"detail","n":-1}', '{"ask":"detail","n":1e15}', '{"do":"expect","part":-5}',
            '{"do":"unrecord","index":99}', JSON.stringify({ do: "line", text: "x".repeat(60000) })]) socket.send(text);
          socket.send(new Uint8Array(1000));
          await new Promise((done) => { socket.onmessage = (event) => {
            if (typeof event.data === "string" && event.data.includes("a step is one line")) done();
          }; });
          socket.close();
        }""", self.server.address.replace("http:", "ws:") + "socket")
        tab.click_part("Places")
        tab.expect_screen("grid")


if __name__ == "__main__":
    unittest.main()
