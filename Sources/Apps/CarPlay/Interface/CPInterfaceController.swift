// swift-iap2 · Apache-2.0

public import Foundation
public import UIKit

/// The stack of templates that an app shows in the car.
///
/// Controllers come from the car. One lives from a connect to the disconnect.
@preconcurrency @MainActor
open class CPInterfaceController: NSObject {
  /// The object that learns which templates appear and disappear.
  public weak var delegate: (any CPInterfaceControllerDelegate)?

  /// Whether the app's templates are always drawn in the dark style.
  @available(iOS 13.0, *)
  public var prefersDarkUserInterfaceStyle: Bool = false { didSet { noteChange() } }

  /// The traits of the car's screen.
  @available(iOS 14.0, *)
  public package(set) var carTraitCollection: UITraitCollection

  /// The template that ``rootTemplate`` returns before the app sets a root. No car shows it.
  private let noTemplate = CPTemplate()

  /// Creates the controller of a connection.
  package init(carTraitCollection: UITraitCollection) {
    self.carTraitCollection = carTraitCollection
    super.init()
  }

  /// The modal template.
  public var presentedTemplate: CPTemplate? { CarPlayModule.system.state(of: self).presented }

  /// The lowest template of the stack. Before the app sets a root, a template without content.
  public var rootTemplate: CPTemplate { templates.first ?? noTemplate }

  /// The highest template of the stack.
  public var topTemplate: CPTemplate? { templates.last }

  /// The stack, the root template first.
  public var templates: [CPTemplate] { CarPlayModule.system.state(of: self).templates }

  private func perform(
    _ request: InterfaceRequest, _ animated: Bool, _ completion: ((Bool, (any Error)?) -> Void)?
  ) {
    CarPlayModule.system.perform(request, of: self, animated: animated, completion: completion)
  }

  private func perform(_ request: InterfaceRequest, _ animated: Bool) async throws -> Bool {
    defer { AnsweredTasks.end() }
    return try await withCheckedThrowingContinuation { continuation in
      let answer = TaskAnswer(continuation, last: .failure(CancellationError()))
      perform(request, animated) { succeeded, error in
        answer.give(error.map { .failure($0) } ?? .success(succeeded))
      }
    }
  }
}

@available(iOS 14.0, *)
extension CPInterfaceController {
  /// Replaces the whole stack by a template.
  ///
  /// - Parameters:
  ///   - rootTemplate: The only template of the new stack.
  ///   - animated: Whether the app wants the change animated. The delegate receives the value.
  ///   - completion: Receives whether the car shows the template, and the error if not. Without a completion, an error
  ///     raises. The same is true for the other methods.
  public func setRootTemplate(
    _ rootTemplate: CPTemplate, animated: Bool, completion: ((Bool, (any Error)?) -> Void)?
  ) {
    perform(.setRoot(rootTemplate), animated, completion)
  }

  /// Shows a template above the stack.
  public func pushTemplate(
    _ templateToPush: CPTemplate, animated: Bool, completion: ((Bool, (any Error)?) -> Void)?
  ) {
    perform(.push(templateToPush), animated, completion)
  }

  /// Removes the highest template of the stack.
  public func popTemplate(animated: Bool, completion: ((Bool, (any Error)?) -> Void)?) {
    perform(.pop, animated, completion)
  }

  /// Removes all templates above the root.
  public func popToRootTemplate(animated: Bool, completion: ((Bool, (any Error)?) -> Void)?) {
    perform(.popToRoot, animated, completion)
  }

  /// Removes all templates above a template of the stack.
  public func pop(to targetTemplate: CPTemplate, animated: Bool, completion: ((Bool, (any Error)?) -> Void)?) {
    perform(.popTo(targetTemplate), animated, completion)
  }

  /// Shows a modal template over the stack.
  public func presentTemplate(
    _ templateToPresent: CPTemplate, animated: Bool, completion: ((Bool, (any Error)?) -> Void)?
  ) {
    perform(.present(templateToPresent), animated, completion)
  }

  /// Removes the modal template. Has no effect if there is none.
  public func dismissTemplate(animated: Bool, completion: ((Bool, (any Error)?) -> Void)?) {
    perform(.dismiss, animated, completion)
  }
}

@available(iOS 14.0, *)
extension CPInterfaceController {
  /// Replaces the whole stack by a template, and returns when the car shows it.
  ///
  /// - Throws: The error of the template operation, as the other methods do.
  @discardableResult
  public func setRootTemplate(_ rootTemplate: CPTemplate, animated: Bool) async throws -> Bool {
    try await perform(.setRoot(rootTemplate), animated)
  }

  /// Shows a template above the stack, and returns when the car shows it.
  @discardableResult
  public func pushTemplate(_ templateToPush: CPTemplate, animated: Bool) async throws -> Bool {
    try await perform(.push(templateToPush), animated)
  }

  /// Removes the highest template of the stack, and returns when it is removed.
  @discardableResult
  public func popTemplate(animated: Bool) async throws -> Bool { try await perform(.pop, animated) }

  /// Removes all templates above the root, and returns when they are removed.
  @discardableResult
  public func popToRootTemplate(animated: Bool) async throws -> Bool { try await perform(.popToRoot, animated) }

  /// Removes all templates above a template of the stack, and returns when they are removed.
  @discardableResult
  public func pop(to targetTemplate: CPTemplate, animated: Bool) async throws -> Bool {
    try await perform(.popTo(targetTemplate), animated)
  }

  /// Shows a modal template over the stack, and returns when the car shows it.
  @discardableResult
  public func presentTemplate(_ templateToPresent: CPTemplate, animated: Bool) async throws -> Bool {
    try await perform(.present(templateToPresent), animated)
  }

  /// Removes the modal template, and returns when it is removed.
  @discardableResult
  public func dismissTemplate(animated: Bool) async throws -> Bool { try await perform(.dismiss, animated) }
}

@available(iOS, introduced: 12.0, deprecated: 14.0)
extension CPInterfaceController {
  /// Replaces the whole stack by a template. An error raises, as in the other methods without a completion.
  public func setRootTemplate(_ rootTemplate: CPTemplate, animated: Bool) {
    perform(.setRoot(rootTemplate), animated, nil)
  }

  /// Shows a template above the stack.
  public func pushTemplate(_ templateToPush: CPTemplate, animated: Bool) {
    perform(.push(templateToPush), animated, nil)
  }

  /// Removes the highest template of the stack.
  public func popTemplate(animated: Bool) { perform(.pop, animated, nil) }

  /// Removes all templates above the root.
  public func popToRootTemplate(animated: Bool) { perform(.popToRoot, animated, nil) }

  /// Removes all templates above a template of the stack.
  public func pop(to targetTemplate: CPTemplate, animated: Bool) { perform(.popTo(targetTemplate), animated, nil) }

  /// Shows a modal template over the stack.
  public func presentTemplate(_ templateToPresent: CPTemplate, animated: Bool) {
    perform(.present(templateToPresent), animated, nil)
  }

  /// Removes the modal template. Has no effect if there is none.
  public func dismissTemplate(animated: Bool) { perform(.dismiss, animated, nil) }
}
