// swift-iap2 · Apache-2.0

import Basics
import IAP2
import IAP2Formats
import IAP2Roles
import Testing

/// Tests that every event has a declaration, and a record with its values.
@Suite struct EventDeclarationTests {
  @Test func everyEventIsDeclaredOnce() {
    let names = RoleEvent.declarations.map(\.name)
    #expect(Set(names).count == names.count)
    let kinds = RoleEvent.Kind.allCases.map(\.rawValue) + FeatureEvent.Kind.allCases.map(\.rawValue)
    #expect(Set(names) == Set(kinds))
    #expect(RoleEvent.declarations.allSatisfy { !$0.summary.isEmpty })
  }

  /// An event with each kind of value, and what an expectation and a reader see of it.
  private static let samples: [(event: RoleEvent, name: String, words: [String: String], text: String)] = [
    (.detected, "detected", [:], "detected"),
    (.authenticationFailed(reason: nil), "authenticationFailed", [:], "authentication failed"),
    (
      .authenticationFailed(reason: "no key"), "authenticationFailed", ["reason": "no key"],
      "authentication failed: no key"
    ),
    (
      .identificationRejected(parameters: [6, 99]), "identificationRejected", ["parameters": "6,99"],
      "identification rejected: 6 MessagesSentByAccessory, 99"
    ),
    (
      .message(.sent, id: 0x0BAD, bytes: []), "message", ["direction": "sent", "id": "0x0BAD"], "sent 0x0BAD"
    ),
    (
      .externalAccessoryClosed(protocol: "com.example.echo", session: 7, bytesSent: 1, bytesReceived: 2),
      "externalAccessoryClosed",
      ["protocol": "com.example.echo", "session": "7", "bytesSent": "1", "bytesReceived": "2"],
      "com.example.echo session 7 closed: 1 bytes sent, 2 received"
    ),
    (
      .fileTransfer(.refused(id: 3, byteCount: 9)), "fileTransfer", ["file": "3", "step": "refused", "byteCount": "9"],
      "file 3 refused: 9 bytes"
    ),
    (.fileTransfer(.paused(id: 3)), "fileTransfer", ["file": "3", "step": "paused"], "file 3 paused"),
    (.eventsLost(count: 5), "eventsLost", ["count": "5"], "5 events were not shown, because they came too fast"),
    (
      .violation(.outOfTurn(0x5702)), "violation",
      [
        "kind": "outOfTurn", "id": "0x5702",
        "reason":
          "RequestAccessoryWiFiConfigurationInformation arrived before authentication and identification were complete",
      ],
      "RequestAccessoryWiFiConfigurationInformation arrived before authentication and identification were complete"
    ),
    (.feature(.artwork([1, 2])), "artwork", ["byteCount": "2"], "artwork: 2 bytes"),
    (
      .feature(.appWanted(protocol: "com.example.echo", byAlert: false)), "appWanted",
      ["protocol": "com.example.echo", "alert": "false"], "appWanted: for com.example.echo, in the settings"
    ),
    (
      .feature(.hidReport(component: 4, report: [0x0A], values: [HIDUsage(page: 12, 205): 1])), "hidReport",
      ["component": "4", "report": "0a", "usages": "12:205"], "hidReport: device 4, 0a, usage 12:205"
    ),
  ]

  @Test func aRecordHasTheValuesOfItsEvent() throws {
    for sample in Self.samples {
      let record = try #require(sample.event.record)
      #expect(record.declaration.name == sample.name && sample.event.name == sample.name)
      #expect(record.words == sample.words && record.text == sample.text)
    }
  }

  /// The parameters of a message have their own names in expectations, those of groups too.
  @Test func theParametersOfAMessageAreValues() throws {
    var update = NowPlayingUpdate()
    update.mediaItemAttributes = .init()
    update.mediaItemAttributes?.mediaItemTitle = "Song"
    let record = try #require(RoleEvent.feature(.nowPlaying(update)).record)
    #expect(record.words == ["MediaItemTitle": "Song"])
    #expect(record.text == #"nowPlaying: MediaItemAttributes (MediaItemTitle "Song")"#)
  }
}
