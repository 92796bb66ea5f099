// swift-iap2 · Apache-2.0

import Foundation
import IAP2Conformance
import Testing

@testable import ConformanceCommand

/// `iap2 conformance --carplay` over TCP: its captures, and the links of its report to them.
@Suite(.ownTurn) struct SessionConformanceTests {
  @Test("A capture with its secrets shows the signature of auth-setup, and the report links it")
  func captures() async throws {
    try await CarPlaySessionCommandTests.inFolder { folder, environment in
      let headUnit = try Command(["carplay", "headunit", "--json"], environment: environment)
      let address = try await CarPlaySessionCommandTests.address(of: headUnit)
      let run = folder.appending(path: "a run")
      let report = folder.appending(path: "report.html")
      let outcome = try await Command(
        [
          "conformance", "--carplay", "--as", "phone", "--transport", "tcp:\(address)", "--live", "0", "--only",
          "CAS-02,CAS-03,CAS-51", "--captures", run.path(percentEncoded: false), "--key-log",
          folder.appending(path: "keys").path(), "--html", report.path(),
        ], environment: environment
      ).finish()
      headUnit.process.terminate()
      _ = try await headUnit.finish()
      #expect(outcome.output.contains("3 checks: 3 passed"), "\(outcome.output)\(outcome.errors)")
      for name in ["ordinary-session", "CAS-51"] {
        let file = run.appending(path: "\(name).pcapng").path(percentEncoded: false)
        let decoded = try await Command.run("decode", file).output
        let proof = /POST \/auth-setup, certificate of \d+ bytes, signature of \d+, signature right/
        #expect(decoded.contains(proof), "\(decoded)")
      }
      let html = try String(contentsOf: report, encoding: .utf8)
      let links = html.matches(of: /id="([A-Z]+-[0-9]+)".*?href="([^"]*)"/).map { [$0.1, $0.2] }
      #expect(
        links == [
          ["CAS-02", "a%20run/ordinary-session.pcapng"], ["CAS-03", "a%20run/ordinary-session.pcapng"],
          ["CAS-51", "a%20run/CAS-51.pcapng"],
        ])
    }
  }

  @Test("The address of a capture is relative to the report")
  func addresses() throws {
    let check = try #require(Check.all.first)
    let links = CaptureLinks()
    links.note(nil, of: check)
    #expect(links.addresses(from: "/a/report.html") == [:])
    links.note("/a/b/run/x.pcapng", of: check)
    #expect(links.addresses(from: "/a/report.html") == [check.id: "b/run/x.pcapng"])
    #expect(links.addresses(from: "/a/c/d/report.html") == [check.id: "../../b/run/x.pcapng"])
    links.note("run/\"<#?.pcapng", of: check)
    #expect(links.addresses(from: "report.html") == [check.id: "run/%22%3C%23%3F.pcapng"])
  }

  /// Returns a block of pcapng.
  private static func block(_ type: UInt32, _ content: [UInt8] = [1, 2, 3, 4]) -> [UInt8] {
    func number(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    let count = number(UInt32(12 + content.count))
    return number(type) + count + content + count
  }

  @Test("Secrets move in front of the packets in their order, and other bytes stay as they are")
  func secretsFirst() {
    let (section, interface, packet) = (Self.block(0x0A0D_0D0A), Self.block(1), Self.block(6))
    let secrets = [Self.block(10, [7, 0, 0, 0]), Self.block(10, [8, 0, 0, 0])]
    let bytes = section + interface + packet + secrets[0] + packet + secrets[1]
    let ordered = section + secrets[0] + secrets[1] + interface + packet + packet
    #expect(SecretsFirst.reordered(bytes) == ordered)
    for other in [[], section + packet, bytes.dropLast(), bytes + section, packet + bytes, bytes + [0, 0, 0, 0]] {
      #expect(SecretsFirst.reordered(Array(other)) == nil)
    }
  }
}
