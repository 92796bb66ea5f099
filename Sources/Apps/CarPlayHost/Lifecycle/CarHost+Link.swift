// swift-iap2 · Apache-2.0

import CarPlayPlatform
import Foundation
import IAP2
package import IAP2Roles
import UIKit

extension CarHost {
  /// Uses an iAP2 connection to decide when the app is connected: the phone applies a policy, and notifications can be
  /// lost.
  ///
  /// - Parameters:
  ///   - policy: The evidence that ends a connection on the phone.
  ///   - batteryPercent: The level of the phone's battery. A full battery does not charge, so an unplug does not change
  ///     it.
  ///   - otherCurrent: The current of a power bank in milliamperes; 0 for none.
  package func follow(policy: LifecyclePolicy, batteryPercent: Int, otherCurrent: Int, seed: UInt64) {
    var options = VehicleLinkOptions()
    options.link = settings.link
    options.policy = policy
    options.batteryPercent = batteryPercent
    options.otherCurrent = otherCurrent
    options.seed = seed
    let offers: [(Bool, HeadUnitFeatures)] = [
      (settings.behavior.offersLocation, .location), (settings.behavior.offersVehicleStatus, .vehicleStatus),
    ]
    options.vehicleFeatures = HeadUnitFeatures(offers.filter(\.0).map(\.1))
    // Apps compare the time of a location with the real one.
    options.unixTime = Date().timeIntervalSince1970 - clock.now.offset / .seconds(1)
    link = VehicleLink(options)
    link?.isTapped = onLinkBytes != nil
    headUnitMemory = HeadUnitMemory()
    vehicleMemory = VehicleMemory()
    lastReport = nil
    takeLinkReports()
    tellPhone()
  }

  var linkTime: MonotonicTime { MonotonicTime.zero.advanced(by: clock.now.offset) }

  /// Plugs in or pulls the cable of the iAP2 connection. Returns false without an iAP2 connection.
  func changeLink(isPlugged: Bool, noticed: Bool) -> Bool {
    guard link != nil else { return false }
    linkWaitEnd = noticed ? clock.now.advanced(by: Self.linkWait) : nil
    if isPlugged { link?.connect(at: linkTime) } else { link?.unplug(noticed: noticed, at: linkTime) }
    takeLinkReports()
    return true
  }

  /// The longest time that a verb waits for the phone to detect a change. A connection takes less than a second.
  private static let linkWait = Duration.seconds(5)

  /// Schedules the next step of the iAP2 connection.
  func scheduleLink() {
    events.cancel(linkDue)
    guard let due = link?.nextDeadline else {
      linkDue = nil
      return
    }
    let delay = max(0, linkTime.duration(to: due) / .seconds(1))
    // A verb waits for bytes on the cable, and for the phone to detect a change of the cable.
    let isEffect = link?.hasBytesUnderWay == true || linkWaitEnd.map { $0 > clock.now } == true
    linkDue = events.after(delay, isEffect ? .effect : .timer) { [weak self] in
      guard let self else { return }
      self.link?.advance(to: max(due, self.linkTime))
      self.takeLinkReports()
    }
  }

  func takeLinkReports() {
    if let onLinkBytes { for sent in link?.takeSent() ?? [] { onLinkBytes(sent) } }
    let reports = link?.takeReports() ?? []
    for report in reports where report.side == .accessory { takeHeadUnit(report.event) }
    takeFeatures()
    for report in reports where report.side == .device { follow(report.event) }
    scheduleLink()
  }

  /// Performs the phone's reaction to a change of its connection state or its power.
  func follow(_ event: VehicleLink.Event) {
    if case .power = event {} else { linkWaitEnd = nil }
    switch event {
    case .connected, .reconnected:
      endFormerConnection()
      linkConnected()
    case .power(let supply, let percent): setBattery(supply, percent)
    case .disconnected(let cause):
      note(.car, "phone regards the car as disconnected", "\(cause)")
      vehicleMemory = VehicleMemory()
      front = .off
      if !withholdDisconnect() { disconnect() }
    }
  }

  private func takeHeadUnit(_ event: VehicleLink.Event) {
    switch event {
    case .connected, .reconnected: headUnitMemory.setConnected(true)
    case .disconnected: headUnitMemory.setConnected(false)
    case .power: break
    }
  }

  private func linkConnected() {
    note(.car, "phone regards the car as connected")
    // The song played on while no head unit was connected, so its position is reported again.
    lastReport?.song = nil
    tellPhone()
    guard isConnected else { return }
    enterHome()
    reopen()
  }

  private func setBattery(_ supply: PowerSupply, _ percent: Int) {
    let states: [PowerSupply: UIDevice.BatteryState] = [
      .unknown: .unknown, .charging: .charging, .full: .full, .unplugged: .unplugged,
    ]
    note(.car, "battery", "\(supply.rawValue), \(percent) %")
    UIDevice.current.setBattery(state: states[supply] ?? .unknown, level: Float(percent) / 100)
  }
}
