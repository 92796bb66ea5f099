// swift-iap2 · Apache-2.0

import ExternalAccessory
import ExternalAccessoryTesting
import Foundation
import Synchronization
import Testing

/// The calls of a browser, in order.
private final class BrowserWitness: NSObject, EAWiFiUnconfiguredAccessoryBrowserDelegate, Sendable {
  private let entries = Mutex<[String]>([])
  var lines: [String] { entries.withLock { $0 } }

  private func add(_ line: String) {
    dispatchPrecondition(condition: .onQueue(.main))
    entries.withLock { $0.append(line) }
  }

  func accessoryBrowser(
    _ browser: EAWiFiUnconfiguredAccessoryBrowser, didUpdate state: EAWiFiUnconfiguredAccessoryBrowserState
  ) { add("state \(state.rawValue)") }

  func accessoryBrowser(
    _ browser: EAWiFiUnconfiguredAccessoryBrowser,
    didFindUnconfiguredAccessories accessories: Set<EAWiFiUnconfiguredAccessory>
  ) { add("found \(accessories.map(\.name).sorted())") }

  func accessoryBrowser(
    _ browser: EAWiFiUnconfiguredAccessoryBrowser,
    didRemoveUnconfiguredAccessories accessories: Set<EAWiFiUnconfiguredAccessory>
  ) { add("removed \(accessories.map(\.name).sorted())") }

  func accessoryBrowser(
    _ browser: EAWiFiUnconfiguredAccessoryBrowser,
    didFinishConfiguringAccessory accessory: EAWiFiUnconfiguredAccessory,
    with status: EAWiFiUnconfiguredAccessoryConfigurationStatus
  ) { add("finished \(accessory.name) \(status.rawValue)") }
}

extension AccessoryAppTests {
  @Suite struct Browsers {
    @Test func aBrowserFindsWhatPassesTheFilterAndConfiguresIt() async throws {
      await AccessoryBench.reset()
      AccessoryBench.wireless.found = [
        WirelessAccessory(name: "Speaker", manufacturer: "Mine", properties: 1), WirelessAccessory(name: "Other"),
      ]
      let witness = BrowserWitness()
      let browser = EAWiFiUnconfiguredAccessoryBrowser(delegate: witness, queue: nil)
      browser.startSearchingForUnconfiguredAccessories(
        matching: NSPredicate { accessory, _ in (accessory as? EAWiFiUnconfiguredAccessory)?.manufacturer == "Mine" })
      let speaker = try #require(browser.unconfiguredAccessories.first)
      #expect(speaker.properties == .propertySupportsAirPlay)
      browser.configureAccessory(speaker, withConfigurationUIOn: "any view controller")
      try await until { witness.lines.count == 6 }
      #expect(
        witness.lines == [
          "state 2", "found [\"Speaker\"]", "state 3", "removed [\"Speaker\"]", "finished Speaker 0", "state 1",
        ])
      #expect(browser.unconfiguredAccessories.isEmpty)
    }

    @Test func aBrowserSearchesOnAfterAConfigurationByAnOption() async throws {
      await AccessoryBench.reset()
      AccessoryBench.options.browserSearchesOn = true
      AccessoryBench.wireless.found = [WirelessAccessory(name: "Speaker")]
      let witness = BrowserWitness()
      let browser = EAWiFiUnconfiguredAccessoryBrowser(delegate: witness, queue: nil)
      browser.startSearchingForUnconfiguredAccessories(matching: nil)
      browser.configureAccessory(try #require(browser.unconfiguredAccessories.first), withConfigurationUIOn: 0)
      try await until { witness.lines.count == 6 }
      #expect(witness.lines.last == "state 2")
    }

    @Test func withoutWiFiThereIsNoSearch() async throws {
      await AccessoryBench.reset()
      AccessoryBench.wireless.isAvailable = false
      let witness = BrowserWitness()
      let browser = EAWiFiUnconfiguredAccessoryBrowser(delegate: witness, queue: nil)
      browser.startSearchingForUnconfiguredAccessories(matching: nil)
      try await until { !witness.lines.isEmpty }
      #expect(witness.lines == ["state 0"])
    }

    @Test func aMessageOfANotificationHasTheAccessory() async throws {
      let attached = try await attachEcho()
      let accessory = try #require(attached.eaAccessory)
      let message = EAAccessoryManager.AccessoryDidConnectMessage(accessory: accessory, userSelected: true)
      let notification = EAAccessoryManager.AccessoryDidConnectMessage.makeNotification(message)
      #expect(notification.name == .EAAccessoryDidConnect)
      let back = EAAccessoryManager.AccessoryDidConnectMessage.makeMessage(notification)
      #expect(back?.accessory === accessory && back?.userSelected == true)
      let end = Notification(name: .EAAccessoryDidDisconnect, userInfo: [EAAccessoryKey: accessory])
      #expect(EAAccessoryManager.AccessoryDidDisconnectMessage.makeMessage(end)?.accessory === accessory)
    }
  }
}
