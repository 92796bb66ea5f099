// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import IAP2Transport
import Testing

/// Tests of the data of EA sessions in scenarios.
@Suite struct DataScenarioTests {
  static let headUnit = """
    headUnit:
      protocols:
        com.example.thermo:
          - {reply: "HELLO\\n"}
          - {on: "TEMP?\\n", reply: "TEMP=23.5\\n", after: 0.2}
          - {on: {hex: "01 02"}, reply: {hex: "03 04"}}
          - {on: /SET \\d+\\n/, reply: "OK\\n"}
          - {every: 10, reply: "TICK\\n"}

    """

  static func outcome(_ steps: String, before: String = headUnit) throws -> ScenarioPlayer.Outcome {
    try BundledScenarioTests.play(try Scenario(yaml: before + "steps:\n" + steps, file: "mine.yaml"))
  }

  static let open = """
      - expect: {phone: connected}
      - phone: {open: com.example.thermo}

    """

  @Test func aScriptAnswersTextHexAndPatterns() throws {
    let outcome = try Self.outcome(
      Self.open + """
          - expect: {data: "HELLO\\n"}
          - phone: {write: {text: "TEMP?\\n"}}
          - expect: {data: /TEMP=\\d+\\.\\d\\n/, within: 1}
          - phone: {write: {hex: "0102", protocol: com.example.thermo}}
          - expect: {data: {hex: "0304"}, protocol: com.example.thermo}
          - phone: {write: {text: "SET 17\\n"}}
          - expect: {data: {text: "OK\\n"}}
          - phone: disconnect

        """)
    #expect(outcome == .complete, "\(outcome)")
  }

  @Test func aScriptEndsItsSessionAfterAReplyOrWithoutOne() throws {
    let headUnit = """
      headUnit:
        protocols:
          com.example.bye:
            - {expect: "BYE\\n", reply: "GO\\n", close: true}
            - {after: 20, close: true}

      """
    let open = "  - expect: {phone: connected}\n  - phone: {open: com.example.bye}\n"
    let steps = """
        - phone: {write: {text: "BYE\\n"}}
        - expect: {data: "GO\\n"}
        - expect: {phone: externalAccessoryClosed, values: {bytesReceived: 3}, within: 1}

      """
    #expect(try Self.outcome(open + steps, before: headUnit) == .complete)
    let late = "  - expect: {phone: externalAccessoryClosed, values: {bytesReceived: 0}, within: 21}\n"
    #expect(try Self.outcome(open + late, before: headUnit) == .complete)
  }

  @Test func aScriptSendsAtIntervals() throws {
    let outcome = try Self.outcome(
      Self.open + """
          - expect: {data: TICK, within: 10.5}
          - expect: {data: TICK, within: 10.5}
          - expect: {data: TICK, within: 10.5}

        """)
    #expect(outcome == .complete, "\(outcome)")
  }

  /// Several answers can be in one piece of bytes. What follows an expectation stays for the next one.
  @Test func bytesAfterAMatchStayForTheNextExpectation() throws {
    let outcome = try Self.outcome(
      Self.open + """
          - phone: {write: {text: "TEMP?\\nTEMP?\\nSET 1\\n"}}
          - expect: {data: HEL}
          - expect: {data: "LO\\n"}
          - expect: {data: /OK/}
          - expect: {data: /TEMP/}
          - expect: {data: /TEMP/}

        """)
    #expect(outcome == .complete, "\(outcome)")
  }

  private static func reason(_ outcome: ScenarioPlayer.Outcome) -> String {
    if case .failed(_, _, _, let reason) = outcome { reason } else { "\(outcome)" }
  }

  @Test func missingDataIsReportedWithReceivedData() throws {
    let reason = Self.reason(
      try Self.outcome(Self.open + "  - expect: {data: /FAHRENHEIT=\\d/, within: 1}\n"))
    #expect(reason == "expected /FAHRENHEIT=\\d/ in com.example.thermo; received: \"HELLO\\n\"")
  }

  @Test func dataThatCameEarlierIsNamed() throws {
    let reason = Self.reason(
      try Self.outcome(Self.open + "  - expect: {data: \"LO\\n\"}\n  - expect: {data: HEL, within: 1}\n"))
    #expect(reason.hasSuffix("it came earlier, among the bytes that earlier expectations have taken"), "\(reason)")
  }

  @Test func anEventThatCameEarlierIsNamed() throws {
    let before = "headUnit: {features: [power]}\n"
    let reason = Self.reason(
      try Self.outcome(
        "  - expect: {headUnit: identified}\n  - expect: {headUnit: detected, within: 1}\n", before: before))
    #expect(
      reason.hasSuffix(
        "it came earlier, before the event of expect headUnit identified in line 3: expect it before that"),
      "\(reason)")
    let again = Self.reason(
      try Self.outcome(
        "  - expect: {headUnit: identified}\n  - expect: {headUnit: identified, within: 1}\n", before: before))
    #expect(
      again.hasSuffix("it came earlier, once, and expect headUnit identified in line 3 has taken it"), "\(again)")
  }

  @Test func theSessionOfARunningAppIsFound() throws {
    let phone = "phone:\n  apps: [{name: Thermo, protocols: [com.example.thermo], running: true}]\n"
    let outcome = try Self.outcome(
      """
        - expect: {phone: connected}
        - phone: {write: {text: "TEMP?\\n"}}
        - expect: {data: TEMP=23.5}
        - phone: {close: com.example.thermo}
        - expect: {headUnit: externalAccessoryClosed}

      """, before: Self.headUnit + phone)
    #expect(outcome == .complete, "\(outcome)")
  }

  @Test func aSessionThatIsNotOpenIsNamed() throws {
    let steps = "  - expect: {phone: connected}\n  - phone: {write: {text: x}}\n"
    #expect(Self.reason(try Self.outcome(steps)) == "no session is open")
    let named = "  - expect: {phone: connected}\n  - expect: {data: x, protocol: com.example.thermo}\n"
    #expect(Self.reason(try Self.outcome(named)) == "no session of com.example.thermo is open")
  }

  /// Invalid data, each with the key of its error.
  @Test(
    arguments: [
      ("steps:\n  - expect: {data: /(/}\n", "steps.0.expect.data", "the pattern /(/ has an error after 1"),
      ("steps:\n  - expect: {data: {hex: zz}}\n", "steps.0.expect.data.hex", "hexadecimal"),
      ("steps:\n  - expect: {data: x, side: phone}\n", "steps.0.expect.side", "data, protocol, within"),
      ("steps:\n  - phone: {write: {text: a, hex: \"00\"}}\n", "steps.0.phone.write.hex", "unknown key"),
      ("steps:\n  - phone: {write: {text: \"\"}}\n", "steps.0.phone.write.text", "empty"),
      (
        "headUnit: {protocols: {a.b.c: [{on: x}]}}\nsteps: []\n", "headUnit.protocols.a.b.c.0",
        "expected reply or close"
      ),
      (
        "headUnit: {protocols: {a.b.c: [{on: x, every: 1, reply: y}]}}\nsteps: []\n", "headUnit.protocols.a.b.c.0",
        "on or every"
      ),
      (
        "headUnit: {protocols: {a.b.c: [{on: x, expect: x, reply: y}]}}\nsteps: []\n", "headUnit.protocols.a.b.c.0",
        "mean the same"
      ),
      (
        "headUnit: {protocols: {a.b.c: [{expect: x, close: false}]}}\nsteps: []\n",
        "headUnit.protocols.a.b.c.0.close", "expected true"
      ),
      ("headUnit: {protocols: {a.b.c: tcp:nowhere}}\nsteps: []\n", "headUnit.protocols.a.b.c", "tcp:HOST:PORT"),
      ("headUnit: {protocols: {a.b.c: tcp-listen:h:1}}\nsteps: []\n", "headUnit.protocols.a.b.c", "discard, echo"),
      ("headUnit: {protocols: {a.b.c: {on: x}}}\nsteps: []\n", "headUnit.protocols.a.b.c", "discard, echo, stall"),
    ] as [(String, String, String)])
  func wrongDataIsNamedWithItsPlace(yaml: String, key: String, text: String) {
    do {
      _ = try Scenario(yaml: yaml, file: "mine.yaml")
      Issue.record("read: \(yaml)")
    } catch { #expect(error.key == key && error.text.contains(text), "\(error.description)") }
  }

  /// Faults of YAML and of words, each with the line and a part of the reason.
  @Test(
    arguments: [
      ("steps:\n\t- wait: 1\n", 2, "indented with a tab; YAML takes spaces only"),
      ("steps:\n  - phone:\n\t  play: true\n", 3, "a tab"),
      ("name: @home\nsteps: []\n", 1, "cannot begin with @ unless it stands in quotes"),
      ("name: a: b\nsteps: []\n", 1, "put the text in quotes"),
      ("steps:\n  - expect: {phone: identifed}\n", 2, "did you mean \"identified\"?; the events are "),
      (
        "steps:\n  - expect: {phone: powerChanged, values: {BatteryChargLevel: 1}}\n", 2,
        "did you mean \"BatteryChargeLevel\"?"
      ),
      ("steps:\n  - wiat: 1\n", 2, "did you mean \"wait\"?; they are cut, expect"),
      ("steps:\n  - phone: {plya: true}\n", 2, "did you mean \"play\"?"),
      ("steps:\n  - wait: 1\n    cut: true\n", 2, "expected one step; they are"),
      ("headunit: {}\nsteps: []\n", 1, "did you mean \"headUnit\"?; the keys here are"),
      ("phone: 3\nsteps: []\n", 1, "expected keys and values; the keys here are apps"),
    ] as [(String, Int, String)])
  func aFaultHasItsLineItsReasonAndTheAllowedWords(yaml: String, line: Int, text: String) {
    do {
      _ = try Scenario(yaml: yaml, file: "mine.yaml")
      Issue.record("read: \(yaml)")
    } catch { #expect(error.line == line && error.text.contains(text), "\(error.description)") }
  }
}
