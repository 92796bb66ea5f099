// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Capture
import IAP2Roles
import Testing

/// The findings of `iap2 check`: which parameter of which message is wrong, and how to repair it.
@Suite(.ownTurn) struct CheckTests {
  /// The bytes of a whole identification with one change.
  private static func identification(_ change: (inout IdentificationInformation) -> Void) throws -> [UInt8] {
    var information = HeadUnitProfile.standard(protocols: ["com.example.one"], features: [.nowPlaying, .location])
      .identification
    change(&information)
    return try information.encoded()
  }

  /// A capture of one message of the accessory, while a test needs it.
  private static func inCapture(_ message: [UInt8], _ body: (String) async throws -> Void) async throws {
    var packet: [UInt8] = []
    LinkPacket.append(
      to: &packet, control: .acknowledge, sequence: SequenceNumber(1), acknowledgement: SequenceNumber(0), session: 1,
      payload: unsafe message.span.bytes)
    let path = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).txt").path()
    try Data("A>D \(Hex.text(packet))\n".utf8).write(to: URL(filePath: path))
    try await body(path)
    try FileManager.default.removeItem(atPath: path)
  }

  @Test func aFindingNamesMessageParameterAndRepairInBothChecks() async throws {
    let message = try Self.identification {
      // The rule of the first change rejects, that of the second warns.
      $0.locationInformationComponent = nil
      $0.messagesSentByAccessory.elements.removeAll { $0 == 0x5002 }
    }
    try await Self.inCapture(message) { capture in
      for check in ["identification", "session"] {
        let outcome = try await Command.run("check", check, capture)
        #expect(outcome.status == 1, "\(check): \(outcome.errors)")
        let lines = outcome.output.split(separator: "\n").map(String.init)
        for (head, name, repair) in [
          (
            "reject  location-component", "LocationInformation",
            "Add component 22, or remove these messages from the list."
          ),
          (
            "warn    start-with-stop", "0x5000 StartNowPlayingUpdates",
            "Add the Stop of each of these messages to the same list, or remove the Start."
          ),
        ] {
          let place = try #require(
            lines.firstIndex {
              $0.hasPrefix("\(head): IdentificationInformation, parameter 6 MessagesSentByAccessory: ")
                && $0.contains(name)
            }, "\(outcome.output)")
          #expect(lines[place + 1] == "        repair: \(repair)")
        }
        let json = try await Command.run("check", check, capture, "--json")
        #expect(json.output.contains(#""repair":"Add the Stop of each"#), "\(json.output)")
      }
    }
  }

  @Test func theSessionCheckAgreesWithThatOfTheIdentification() async throws {
    for capture in ["captures/synthetic/worked-session.txt", "captures/failures/identification-rejected.absent.txt"] {
      let identification = try await Command.run("check", "identification", capture, "--json")
      let session = try await Command.run("check", "session", capture, "--json")
      let found = identification.output.split(separator: "\n")
      #expect(found.allSatisfy(session.output.split(separator: "\n").contains), "\(capture): \(session.output)")
      #expect(identification.status == 0 || session.status == 1, "\(capture)")
    }
  }

  /// The phone of these captures rejected what its accessory sent, mostly more than once.
  @Test(arguments: [
    "identification-rejected.txt", "identification-rejected.absent.txt", "identification-rejected.list.txt",
  ])
  func aRejectionByThePhoneIsAFindingAndEachFindingIsToldOnce(_ name: String) async throws {
    for check in ["identification", "session"] {
      let outcome = try await Command.run("check", check, "captures/failures/\(name)", "--json")
      #expect(outcome.status == 1, "\(check): \(outcome.errors)")
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.contains { $0.contains(#""rule":"rejected""#) && $0.contains("0x1D03") }, "\(outcome.output)")
      #expect(Set(lines).count == lines.count, "\(check): \(outcome.output)")
    }
    let identified = try await Command.run("decode", "--json", "captures/failures/\(name)")
    let message = try #require(
      identified.output.split(separator: "\n").first { $0.contains(#""name":"IdentificationInformation""#) })
    let once = try await Command.run("check", "session", "-", "--json", input: message + "\n")
    let repeated = try await Command.run("check", "session", "-", "--json", input: "\(message)\n\(message)\n")
    #expect(!once.output.contains(#""rule":"rejected""#) && !once.output.isEmpty, "\(once.output)")
    #expect(repeated.output == once.output)
  }

  @Test func whatAPhoneMayMissIsWarnedOf() async throws {
    func change(_ information: inout IdentificationInformation) {
      information.messagesSentByAccessory.elements.removeAll { $0 == 0xEA03 }
      var component = LocationInformationComponent()
      component.componentName = "Location"
      information.locationInformationComponent = component
    }
    try await Self.inCapture(try Self.identification(change)) { capture in
      let outcome = try await Command.run("check", "identification", capture)
      #expect(outcome.status == 0, "\(outcome.output)")
      for words in [
        "warn    ea-status: IdentificationInformation, parameter 6 ", "0xEA03",
        "warn    component-contents: IdentificationInformation, parameter 22 LocationInformationComponent: ",
        "a phone would accept it",
      ] { #expect(outcome.output.contains(words), "\(outcome.output)") }
    }
  }

  @Test func aTextWithoutItsNULIsWarnedOf() async throws {
    let whole = try HeadUnitProfile.standard(features: []).identification.encoded()
    // Parameter 0 is the first: its length, its id, then the name with its NUL.
    let length = Int(whole[6]) << 8 | Int(whole[7])
    var message = Array(whole[..<(6 + length - 1)] + whole[(6 + length)...])
    message[7] -= 1
    message[3] -= 1
    try #require(whole[3] > 0 && whole[7] > 0 && whole[6 + length - 1] == 0)
    try await Self.inCapture(message) { capture in
      let outcome = try await Command.run("check", "identification", capture)
      #expect(outcome.status == 0, "\(outcome.output)")
      #expect(
        outcome.output.contains("warn    text-nul: IdentificationInformation, parameter 0 Name: "), "\(outcome.output)")
      #expect(outcome.output.contains("repair: End the text with a NUL: one byte 00"))
    }
    try await Self.inCapture(whole) { capture in
      let outcome = try await Command.run("check", "identification", capture)
      #expect(!outcome.output.contains("text-nul"), "\(outcome.output)")
    }
  }
}
