// swift-iap2 · Apache-2.0

import CarSupport
import Swift5App
import Testing
import UIKit

/// Tests of phone apps. An app in a car observes the notifications of every device, so no test with a car runs in
/// parallel.
@MainActor @Suite(.onlyCar) struct PhoneSideTests {
  @Test func `an app in Swift 5 mode counts each pulled cable once`() async {
    let device = UIDevice()
    device.setBattery(state: .charging)
    let watch = PowerWatch(device: device)
    for state in [UIDevice.BatteryState.full, .unplugged, .unplugged] {
      device.setBattery(state: state)
      // The next operation of the main queue delivers the notification.
      await withCheckedContinuation { done in OperationQueue.main.addOperation { done.resume() } }
    }
    #expect(watch.pulls == 1)
  }

  @Test func `the app delegate of an app in Swift 5 mode shows its window`() throws {
    let delegate = PhoneAppDelegate()
    #expect(delegate.application(UIApplication.shared, didFinishLaunchingWithOptions: nil))
    let page = try #require(delegate.window?.rootViewController as? MapPageController)
    #expect(page.view.window === delegate.window)
    page.press()
    #expect(page.label.text == "Go")
  }
}
