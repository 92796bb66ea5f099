// swift-iap2 · Apache-2.0

import AccessoryPlatform
public import Dispatch
public import Foundation
import PortingSupport
import Synchronization

/// A search for accessories that wait for their Wi-Fi configuration. A test sets which accessories there are.
public final class EAWiFiUnconfiguredAccessoryBrowser: NSObject {
  private let delegation = WeakReference()
  private let queue: DispatchQueue
  private let found = Mutex<Set<WirelessAccessory>>([])

  /// Creates a browser that does not search.
  ///
  /// - Parameters:
  ///   - delegate: The receiver of what the browser finds. It is not retained.
  ///   - queue: The queue on which the delegate is called; nil for the main queue.
  public init(delegate: (any EAWiFiUnconfiguredAccessoryBrowserDelegate)?, queue: DispatchQueue?) {
    delegation.value = delegate
    self.queue = queue ?? .main
    super.init()
  }

  /// The receiver of what the browser finds.
  public weak var delegate: (any EAWiFiUnconfiguredAccessoryBrowserDelegate)? {
    get { delegation.value as? any EAWiFiUnconfiguredAccessoryBrowserDelegate }
    set { delegation.value = newValue }
  }

  /// The accessories that the search has found.
  public var unconfiguredAccessories: Set<EAWiFiUnconfiguredAccessory> {
    Set(found.withLock { $0 }.map { EAWiFiUnconfiguredAccessory($0) })
  }

  /// Starts a search.
  ///
  /// - Parameter predicate: A filter of ``EAWiFiUnconfiguredAccessory`` objects; nil for none.
  public func startSearchingForUnconfiguredAccessories(matching predicate: NSPredicate?) {
    let surroundings = Platform.shared.wireless
    guard surroundings.isAvailable else { return report { $0.accessoryBrowser($1, didUpdate: .wiFiUnavailable) } }
    let passing = surroundings.found.filter { predicate?.evaluate(with: EAWiFiUnconfiguredAccessory($0)) ?? true }
    found.withLock { $0 = Set(passing) }
    report { delegate, browser in
      delegate.accessoryBrowser(browser, didUpdate: .searching)
      guard !passing.isEmpty else { return }
      let accessories = Set(passing.map { EAWiFiUnconfiguredAccessory($0) })
      delegate.accessoryBrowser(browser, didFindUnconfiguredAccessories: accessories)
    }
  }

  /// Ends the search.
  public func stopSearchingForUnconfiguredAccessories() {
    found.withLock { $0 = [] }
    report { $0.accessoryBrowser($1, didUpdate: .stopped) }
  }

  /// Configures an accessory. The result is the one that the test has set.
  ///
  /// - Parameters:
  ///   - accessory: The accessory.
  ///   - viewController: Anything. On iOS it is the `UIViewController` for the system's page; this module has no UIKit.
  public func configureAccessory(
    _ accessory: EAWiFiUnconfiguredAccessory, withConfigurationUIOn viewController: Any
  ) {
    let wireless = accessory.accessory
    let status =
      EAWiFiUnconfiguredAccessoryConfigurationStatus(rawValue: Platform.shared.wireless.configurationStatus) ?? .failed
    report { $0.accessoryBrowser($1, didUpdate: .configuring) }
    if status == .success {
      found.withLock { _ = $0.remove(wireless) }
      report { $0.accessoryBrowser($1, didRemoveUnconfiguredAccessories: [EAWiFiUnconfiguredAccessory(wireless)]) }
    }
    report {
      $0.accessoryBrowser($1, didFinishConfiguringAccessory: EAWiFiUnconfiguredAccessory(wireless), with: status)
    }
    // Unverified: the state after a configuration.
    let searchesOn = Platform.shared.options.browserSearchesOn
    report { $0.accessoryBrowser($1, didUpdate: searchesOn ? .searching : .stopped) }
  }

  private func report(
    _ body:
      @escaping @Sendable (any EAWiFiUnconfiguredAccessoryBrowserDelegate, EAWiFiUnconfiguredAccessoryBrowser) -> Void
  ) {
    let link = BrowserLink(self)
    queue.async { link.report(body) }
  }
}

/// A reference to a browser for its queue.
///
/// Invariant for `@unchecked Sendable`: the browser's own state is locked, and it is set once.
private final class BrowserLink: @unchecked Sendable {
  private weak var browser: EAWiFiUnconfiguredAccessoryBrowser?

  init(_ browser: EAWiFiUnconfiguredAccessoryBrowser) { self.browser = browser }

  func report(_ body: (any EAWiFiUnconfiguredAccessoryBrowserDelegate, EAWiFiUnconfiguredAccessoryBrowser) -> Void) {
    if let browser, let delegate = browser.delegate { body(delegate, browser) }
  }
}
