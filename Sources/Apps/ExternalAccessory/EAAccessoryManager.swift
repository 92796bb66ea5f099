// swift-iap2 · Apache-2.0

import AccessoryPlatform
import Dispatch
public import Foundation
import Synchronization

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the accessory in the user info of a notification. The value is an ``EAAccessory``.
public let EAAccessoryKey = "EAAccessoryKey"

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the accessory that the picker has connected, in the user info of a connect notification.
public let EAAccessorySelectedKey = "EAAccessorySelectedKey"

extension NSNotification.Name {
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// An accessory was connected. The user info has it for ``EAAccessoryKey``.
  public static let EAAccessoryDidConnect = NSNotification.Name("EAAccessoryDidConnectNotification")

  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// An accessory was disconnected. The user info has it for ``EAAccessoryKey``.
  public static let EAAccessoryDidDisconnect = NSNotification.Name("EAAccessoryDidDisconnectNotification")
}

/// The list of connected accessories, and the source of notifications about it.
///
/// Notifications are posted on the main queue, with the manager as their object. The list changes there just before.
public final class EAAccessoryManager: NSObject {
  // Unsafe: the manager has no state of its own. The platform is Sendable.
  private nonisolated(unsafe) static let manager = EAAccessoryManager(platform: .shared)

  private let platform: Platform

  private init(platform: Platform) {
    self.platform = platform
    super.init()
    platform.observe(Platform.Observer(connected: Self.connected, disconnected: Self.disconnected))
    platform.start()
  }

  /// There is one manager, ``shared()``.
  @available(*, unavailable, message: "use EAAccessoryManager.shared()")
  public override init() { preconditionFailure() }

  /// Returns the manager of this process. The first call attaches the accessories of the environment.
  public class func shared() -> EAAccessoryManager { unsafe manager }

  /// Starts the notifications of connected and disconnected accessories.
  public func registerForLocalNotifications() { platform.register() }

  /// Ends the notifications, also for other parts of the app that have registered. Counting calls is an option.
  public func unregisterForLocalNotifications() { platform.unregister() }

  /// The connected accessories, in the order of their connection. Each call returns a new array of the same objects.
  ///
  /// It has accessories without a protocol that the app declares, too. *Unverified*: whether a phone leaves them out.
  public var connectedAccessories: [EAAccessory] {
    if platform.faults.emptyUntilRegistration, !platform.isRegistered { return [] }
    let hides = platform.options.hidesUndeclaredAccessories
    return platform.connected.filter { !hides || platform.declaration.declares(oneOf: $0.facts.protocols) }
      .map(EAAccessory.object)
  }

  // MARK: Notifications

  private static func connected(_ connection: AccessoryConnection, _ isSelected: Bool) {
    let accessory = EAAccessory.object(of: connection)
    var info: [AnyHashable: Any] = [EAAccessoryKey: accessory]
    if isSelected { info[EAAccessorySelectedKey] = accessory }
    guard connection.platform.isRegistered else { return }
    connection.platform.log.add(.connectNotified, connection.id)
    NotificationCenter.default.post(name: .EAAccessoryDidConnect, object: shared(), userInfo: info)
  }

  private static func disconnected(_ connection: AccessoryConnection) {
    let accessory = EAAccessory.object(of: connection)
    let isRegistered = connection.platform.isRegistered
    if isRegistered {
      connection.platform.log.add(.disconnectNotified, connection.id)
      NotificationCenter.default.post(
        name: .EAAccessoryDidDisconnect, object: shared(), userInfo: [EAAccessoryKey: accessory])
    }
    if isRegistered || !connection.platform.options.delegateNeedsRegistration {
      accessory.delegate?.accessoryDidDisconnect(accessory)
    }
  }

  // MARK: Picker

  /// Shows the picker of Bluetooth accessories. A test gives the user's answer.
  ///
  /// - Parameters:
  ///   - predicate: A filter of the names of accessories, as strings; nil for none.
  ///   - completion: Called on the main queue, with nil or an ``EABluetoothAccessoryPickerError``. *Unverified*: the
  ///     thread on a phone, and that the connect notification comes before it. Both are options.
  public func showBluetoothAccessoryPicker(
    withNameFilter predicate: NSPredicate?, completion: EABluetoothAccessoryPickerCompletion? = nil
  ) {
    let call = PickerCall(completion: completion)
    let queue = platform.options.pickerQueue
    pick(predicate) { code in
      // The end of a choice comes on the main queue.
      if queue == .main { call.complete(code) } else { DispatchQueue.global().async { call.complete(code) } }
    }
  }

  /// Shows the picker of Bluetooth accessories, and returns when an accessory is connected.
  ///
  /// - Throws: ``EABluetoothAccessoryPickerError``.
  public func showBluetoothAccessoryPicker(withNameFilter predicate: NSPredicate?) async throws {
    let code = await withCheckedContinuation { (done: CheckedContinuation<Int?, Never>) in
      pick(predicate) { done.resume(returning: $0) }
    }
    if let code, let known = EABluetoothAccessoryPickerError.Code(rawValue: code) {
      throw EABluetoothAccessoryPickerError(known)
    }
  }

  /// Ends with nil or the raw value of an error's code, on the main queue.
  private func pick(_ predicate: NSPredicate?, _ end: @escaping @Sendable (Int?) -> Void) {
    let delay = platform.faults.pickerDelay?.seconds ?? 0
    let passing = platform.unpluggedAccessories.filter { predicate?.evaluate(with: $0.name) ?? true }
    let answer = platform.faults.picker ?? platform.picker
    DispatchQueue.main.asyncAfter(deadline: .now() + delay) { Self.pick(answer, of: passing, end) }
  }

  private static func pick(
    _ answer: PickerAnswer, of passing: [EmulatedAccessory], _ end: @escaping @Sendable (Int?) -> Void
  ) {
    let code: EABluetoothAccessoryPickerError.Code
    switch answer {
    case .automatic: return plug(passing.first, end)
    case .select(let name): return plug(passing.first { $0.name == name }, end)
    case .cancel: code = .resultCancelled
    case .alreadyConnected: code = .alreadyConnected
    case .notFound: code = .resultNotFound
    case .fail: code = .resultFailed
    }
    end(code.rawValue)
  }

  private static func plug(_ accessory: EmulatedAccessory?, _ end: @escaping @Sendable (Int?) -> Void) {
    guard let accessory else { return end(EABluetoothAccessoryPickerError.Code.resultNotFound.rawValue) }
    let failed = EABluetoothAccessoryPickerError.Code.resultFailed.rawValue
    accessory.plug(isSelected: true) { [weak accessory] in
      DispatchQueue.main.async { end(accessory?.connection?.hasAppeared == true ? nil : failed) }
    }
  }
}

/// The completion of a call of the picker.
///
/// Invariant for `@unchecked Sendable`: the app's closure is called once, on one queue.
private final class PickerCall: @unchecked Sendable {
  private let completion: EABluetoothAccessoryPickerCompletion?

  init(completion: EABluetoothAccessoryPickerCompletion?) { self.completion = completion }

  func complete(_ code: Int?) {
    completion?(
      code.flatMap(EABluetoothAccessoryPickerError.Code.init(rawValue:)).map { EABluetoothAccessoryPickerError($0) })
  }
}

extension Duration {
  fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
