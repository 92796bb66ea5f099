// swift-iap2 · Apache-2.0

import Foundation
import Synchronization
import Testing

@testable import PortingSupport

/// A sender of actions, as a button of UIKit is.
private final class Button: NSObject {
  let title = "Go"
}

/// The forms in which apps observe with selectors, as `iap2 port` writes them.
private final class Observer: NSObject, @unchecked Sendable {
  private(set) var calls: [String] = []
  let center: NotificationCenter

  init(_ center: NotificationCenter = NotificationCenter()) { self.center = center }

  deinit { center.removeObserver(self) }

  func structure(_ notification: Notification) { calls.append("structure \(notification.name.rawValue)") }
  func object(_ notification: NSNotification) { calls.append("object \(notification.name.rawValue)") }
  func anything(_ sender: Any) { calls.append("anything \(type(of: sender))") }
  func nothing() { calls.append("nothing") }
  func tapped(_ sender: Button) { calls.append("tapped \(sender.title)") }
  func tick(_ timer: Timer) {
    calls.append("tick \(timer.userInfo as? String ?? "")")
    timer.invalidate()
  }

  func observe(_ selector: Selector, _ name: NSNotification.Name? = .first, object: Any? = nil) {
    center.addObserver(self, selector: selector, name: name, object: object)
  }
}

/// An observer of the main actor, as classes of apps in Swift 6 are.
@MainActor private final class MainObserver: NSObject {
  private(set) var calls: [String] = []

  func observe(_ center: NotificationCenter) {
    center.addObserver(self, selector: Selector(MainObserver.structure(_:)), name: .first, object: nil)
    center.addObserver(self, selector: Selector(MainObserver.nothing), name: .first, object: nil)
  }

  private func structure(_ notification: Notification) { calls.append("structure") }
  private func nothing() { calls.append("nothing") }
  fileprivate func tapped(_ sender: Button) { calls.append("tapped") }
}

extension NSNotification.Name {
  fileprivate static let first = NSNotification.Name("first")
  fileprivate static let second = NSNotification.Name("second")
}

@Suite(.serialized) struct SelectorTests {
  @Test("Each form of a method is called with the notification, in the order of the observations")
  func methodsAreCalled() {
    let observer = Observer()
    observer.observe(Selector(Observer.structure(_:)))
    observer.observe(Selector(Observer.object))
    observer.observe(Selector(Observer.anything(_:)))
    observer.observe(Selector(Observer.nothing))
    observer.center.post(name: .first, object: nil)
    observer.center.post(name: .second, object: nil)
    #expect(observer.calls.sorted() == ["anything Notification", "nothing", "object first", "structure first"])
  }

  @Test("A method with a sender is called with it, and not with another object")
  func sendersAreArguments() {
    let (observer, main) = (Observer(), Selector(MainObserver.tapped(_:)))
    let selector = Selector(Observer.tapped(_:))
    #expect(selector.call(observer, Button()))
    #expect(!selector.call(observer, NSObject()) && !selector.call(NSObject(), Button()))
    #expect(!main.call(observer, Button()))
    #expect(observer.calls == ["tapped Go"])
  }

  @Test("A notification of another sender is not for the observer")
  func sendersAreTold() {
    let observer = Observer()
    let (one, other) = (NSObject(), NSObject())
    observer.observe(Selector(Observer.nothing), object: one)
    observer.center.post(name: .first, object: other)
    #expect(observer.calls.isEmpty)
    observer.center.post(name: .first, object: one)
    #expect(observer.calls == ["nothing"])
  }

  @Test("A method of the main actor is called")
  @MainActor func methodsOfTheMainActorAreCalled() {
    let (observer, center) = (MainObserver(), NotificationCenter())
    observer.observe(center)
    center.post(name: .first, object: nil)
    #expect(observer.calls.sorted() == ["nothing", "structure"])
  }

  @Test("An observation does not keep its observer, and is forgotten with it")
  func observersAreReleased() throws {
    let center = NotificationCenter()
    weak var released: Observer?
    do {
      let observer = Observer(center)
      observer.observe(Selector(Observer.structure(_:)))
      released = observer
      #expect(SelectorObservation.count(in: center) == 1)
    }
    #expect(released == nil)
    #expect(SelectorObservation.count(in: center) == 0)
    center.post(name: .first, object: nil)
  }

  /// An observer that never removes itself, as most do since iOS 9.
  private final class Forgetful: NSObject {
    func nothing() { Issue.record("a released observer was called") }
  }

  @Test("A released observer that has not removed itself is not called, and is forgotten at the next notification")
  func releasedObserversAreForgotten() {
    let center = NotificationCenter()
    for _ in 0..<1000 {
      center.addObserver(Forgetful(), selector: Selector(Forgetful.nothing), name: .first, object: nil)
    }
    #expect(SelectorObservation.count(in: center) < 200)
    center.post(name: .first, object: nil)
    #expect(SelectorObservation.count(in: center) == 0)
  }

  @Test("Removing an observer ends what it observes, all of it or that of a name and a sender")
  func observersAreRemoved() {
    let observer = Observer()
    let sender = NSObject()
    observer.observe(Selector(Observer.structure(_:)), .first)
    observer.observe(Selector(Observer.structure(_:)), .second)
    observer.observe(Selector(Observer.nothing), .second, object: sender)
    observer.center.removeObserver(observer, name: .second, object: sender)
    observer.center.post(name: .second, object: sender)
    #expect(observer.calls == ["structure second"])
    observer.center.removeObserver(observer, name: .first, object: nil)
    observer.center.post(name: .first, object: nil)
    #expect(observer.calls == ["structure second"])
    observer.center.removeObserver(observer)
    observer.center.post(name: .second, object: nil)
    #expect(observer.calls == ["structure second"])
  }

  @Test("A token of an observation with a closure is removed as before")
  func tokensAreRemoved() {
    let center = NotificationCenter()
    let calls = Atomic(0)
    let token = center.addObserver(forName: .first, object: nil, queue: nil) { _ in
      calls.add(1, ordering: .relaxed)
    }
    center.post(name: .first, object: nil)
    center.removeObserver(token)
    center.post(name: .first, object: nil)
    #expect(calls.load(ordering: .relaxed) == 1)
  }

  /// Runs the run loop of this thread until the timer is invalid, at most a minute. Each turn ends after a moment: seen
  /// once, a run loop without a limit slept on although its timer was due, and the thread of other tests with it.
  private func turn(until timer: Timer) {
    let end = Date(timeIntervalSinceNow: 60)
    while timer.isValid, Date() < end {
      _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1))
    }
  }

  @Test("A timer calls its target with itself and its user info", arguments: [true, false])
  func timersCallTheirTarget(isScheduled: Bool) {
    let observer = Observer()
    let (target, selector) = (observer as Any, Selector(Observer.tick(_:)))
    if isScheduled {
      let timer = Timer.scheduledTimer(
        timeInterval: 0.001, target: target, selector: selector, userInfo: "info", repeats: true)
      turn(until: timer)
    } else {
      let timer = Timer(timeInterval: 0.001, target: target, selector: selector, userInfo: "info", repeats: true)
      RunLoop.current.add(timer, forMode: .commonModes)
      turn(until: timer)
    }
    #expect(observer.calls == ["tick info"])
  }

  @Test("Names that Foundation lacks on Linux exist")
  func namesExist() {
    let number: NSInteger = autoreleasepool { 3 }
    let stream = InputStream(data: Data())
    #expect(number == 3 && NSUInteger(number) == 3)
    #expect(RunLoop.Mode.commonModes == .common)
    #expect(CFRunLoopMode.defaultMode === kCFRunLoopDefaultMode)
    #expect(String(format: "%@", stream).contains("Stream"))
  }
}
