// swift-iap2 · Apache-2.0

import IAP2
import Testing

@testable import IAP2Scenario

/// Tests of the events that a live scenario predicts for its peer.
@Suite struct PeerPredictionTests {
  @Test func theUpdateOfAComponentIsPredictedAndAReportIsNot() throws {
    var prediction = PeerPrediction()
    var update = HIDComponentUpdate()
    update.hidComponentIdentifier = 3
    update.hidComponentEnabled = true
    let event = prediction.event(HIDComponentUpdate.id, try update.encoded())
    #expect(event?.name == "hidComponent")
    #expect(event?.values["HIDComponentIdentifier"] == "3")

    // The receiver of a report emits `hidReport`, whose values are not those of the message.
    var report = DeviceHIDReport()
    report.hidComponentIdentifier = 3
    #expect(prediction.event(DeviceHIDReport.id, try report.encoded()) == nil)
  }
}
