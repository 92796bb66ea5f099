// swift-iap2 · Apache-2.0

public import Foundation
import PortingSupport

/// An object that learns which templates of an interface controller appear and disappear. All methods are optional.
@preconcurrency @MainActor
public protocol CPInterfaceControllerDelegate: NSObjectProtocol {
  /// Reports that a template is about to appear.
  func templateWillAppear(_ aTemplate: CPTemplate, animated: Bool)
  /// Reports that a template has appeared.
  func templateDidAppear(_ aTemplate: CPTemplate, animated: Bool)
  /// Reports that a template is about to disappear.
  func templateWillDisappear(_ aTemplate: CPTemplate, animated: Bool)
  /// Reports that a template has disappeared.
  func templateDidDisappear(_ aTemplate: CPTemplate, animated: Bool)
}

extension CPInterfaceControllerDelegate {
  /// Does nothing.
  public func templateWillAppear(_ aTemplate: CPTemplate, animated: Bool) { OptionalMethod.isMissing(in: self) }
  /// Does nothing.
  public func templateDidAppear(_ aTemplate: CPTemplate, animated: Bool) { OptionalMethod.isMissing(in: self) }
  /// Does nothing.
  public func templateWillDisappear(_ aTemplate: CPTemplate, animated: Bool) { OptionalMethod.isMissing(in: self) }
  /// Does nothing.
  public func templateDidDisappear(_ aTemplate: CPTemplate, animated: Bool) { OptionalMethod.isMissing(in: self) }
}
