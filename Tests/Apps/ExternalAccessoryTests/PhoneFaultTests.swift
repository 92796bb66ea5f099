// swift-iap2 · Apache-2.0

import ExternalAccessory
import ExternalAccessoryTesting
import Foundation
import IAP2Faults
import Testing

@testable import AccessoryPlatform

@Suite struct PhoneFaultTests {
  private func faults(_ text: String) throws -> PhoneFaults {
    var faults = PhoneFaults()
    try FaultText(text).apply(to: &faults)
    return faults
  }

  @Test func eachFaultHasAText() throws {
    var expected = PhoneFaults()
    expected.refuseOpen = .init(count: 2, protocolName: "a.b")
    expected.slowOpen = .milliseconds(1)
    expected.held = [.init("a.b"), .init("c.d", for: .milliseconds(2))]
    expected.linger = .milliseconds(3)
    (expected.swallow, expected.space, expected.shortRead) = (4, 5, 6)
    (expected.muteInput, expected.muteOutput) = (7, 8)
    expected.hangProperty = .milliseconds(9)
    expected.endAs = .inputOnly
    expected.noticeFirst = true
    expected.delayNotice = .milliseconds(10)
    (expected.loseConnect, expected.loseNotice) = (0.5, 1)
    (expected.earlyConnect, expected.ghost) = (.milliseconds(11), .milliseconds(12))
    expected.hidden = 13
    (expected.emptyUntilRegistration, expected.strictThread) = (true, true)
    (expected.picker, expected.pickerDelay) = (.select("Far"), .milliseconds(14))
    expected.seed = 7
    let text =
      "refuse-open=2:a.b,slow-open=1,held=a.b,held=c.d+2,linger=3,swallow=4,space=5,short-read=6,mute-input=7,"
      + "mute-output=8,hang-property=9,end-as=one,order=notice-first,delay-notice=10,lose-connect=0.5,lose-notice=1,"
      + "early-connect=11,ghost=12,hidden=13,empty-until-registration,strict-thread,picker=select:Far+14,seed=7"
    #expect(try faults(text) == expected)
    #expect(PhoneFaults.names.allSatisfy { text.contains($0) })
    #expect(try faults("refuse-open=always").refuseOpen == .init())
  }

  @Test func faultsOfThePhoneAndOfTheTransportStandInOneText() throws {
    let text = try FaultText("loss=0.1,space=7,stall=20+5")
    #expect(text.plan == (try FaultPlan(parsing: "loss=0.1,stall=20+5", seed: 1, events: [])))
    #expect(try FaultText("space=7").plan == nil)
  }

  @Test(arguments: [
    ("space=0", "space takes a number of bytes, at least 1, not \"0\""),
    ("refuse-open=x", "refuse-open takes a count or always, as in 2 or always:com.example.print, not \"x\""),
    ("held=a+b", "held takes a protocol"), ("held=", "held takes a protocol"),
    ("linger=-1", "linger takes milliseconds, not \"-1\""), ("linger", "linger takes milliseconds"),
    ("end-as=never", "end-as takes one of end, error, one, silent, not \"never\""),
    ("lose-notice=2", "lose-notice takes a probability of 0 to 1"), ("picker=select:", "picker takes select:NAME"),
    ("strict-thread=1", "strict-thread takes no value"), ("hidden=99999999999999999999", "hidden takes"),
    ("spcae=7", "unknown fault \"spcae\"; the faults are loss, "),
  ])
  func aWrongFaultIsOneLine(text: String, reason: String) {
    #expect {
      try FaultText(text)
    } throws: { error in
      let line = (error as? ConfigurationProblem)?.text ?? ""
      return line.contains(reason) && !line.contains("\n")
    }
  }

  /// The table of the article has every fault, and every test that it names exists.
  @Test func theArticleOfFieldFailuresNamesEveryFaultAndItsTests() throws {
    let article = try String(
      contentsOf: repository.appending(
        path: "Sources/Apps/ExternalAccessoryTesting/ExternalAccessoryTesting.docc/FieldFailures.md"), encoding: .utf8)
    for name in PhoneFaults.names { #expect(article.contains("`\(name)"), "\(name)") }
    let folder = repository.appending(path: "Tests/Apps/ExternalAccessoryTests")
    var code = ""
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path()) where name.hasSuffix(".swift") {
      code += try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }
    let tests = article.matches(of: /`([a-z][A-Za-z]+)`/).map { String($0.output.1) }.filter { $0.count > 20 }
    #expect(tests.count > 30)
    for name in tests { #expect(code.contains("func \(name)("), "\(name)") }
  }
}

extension AccessoryAppTests {
  @Suite struct Diagrams {
    @Test func theLogIsReadAsTextAndAsJSON() async throws {
      let attached = try await attachEcho()
      let client = Client(try #require(try Carried(attached).open()), sending: pattern(100))
      #expect(try Carried(attached).open() == nil)
      client.end()
      let id = try #require(attached.eaAccessory).connectionID
      let entry = try #require(
        AccessoryBench.log.first { if case .sessionRefused = $0.event { true } else { false } })
      let line = "\(entry)"
      #expect(line.hasSuffix(" s  EASession: nil, inUse, \(echoName)  (connection \(id))"), "\(line)")
      #expect(line.prefixMatch(of: /[0-9]+\.[0-9]{3} s/) != nil, "\(line)")
      let object = try #require(
        try JSONSerialization.jsonObject(with: JSONEncoder().encode(entry)) as? [String: Any])
      #expect(Set(object.keys) == ["event", "protocol", "reason", "role", "time", "connection"])
      #expect(object["event"] as? String == "sessionRefused" && object["reason"] as? String == "inUse")
      #expect(object["role"] as? String == "app" && object["connection"] as? Int == id)
    }

    @Test func theLogIsASequenceDiagramInBothFormats() async throws {
      let attached = try await attachEcho()
      let client = Client(try #require(try Carried(attached).open()), sending: pattern(100))
      client.begin(in: .main)
      #expect(await client.finishedInTime())
      #expect(try Carried(attached).open() == nil)
      client.end()
      await attached.unplug()
      for format in [AccessoryBench.DiagramFormat.svg, .html] {
        let text = AccessoryBench.diagram(format, title: "A <test>")
        for part in ["A &lt;test&gt;", ">phone</text>", ">app</text>", "input hasBytesAvailable", "nil, inUse"] {
          #expect(text.contains(part), "\(part)")
        }
        #expect(!text.contains(">device<") && !text.contains("iAP2 sequence diagram"))
      }
      #expect(AccessoryBench.diagram(.svg).hasSuffix("</svg>\n"))
      let file = try Scratch("", "html")
      try AccessoryBench.writeDiagram(to: file.path)
      #expect(try String(contentsOfFile: file.path, encoding: .utf8).hasPrefix("<!DOCTYPE html>"))
      #expect(throws: AccessoryBenchError.self) { try AccessoryBench.writeDiagram(to: "log.txt") }
      #expect { try AccessoryBench.writeDiagram(to: "/none/log.svg") } throws: {
        "\($0)" == "/none/log.svg cannot be written"
      }
    }
  }
}
