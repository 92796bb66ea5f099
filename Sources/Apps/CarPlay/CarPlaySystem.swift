// swift-iap2 · Apache-2.0

package import CarPlayPlatform

/// The car and the phone around an app, as far as the CarPlay module needs them.
///
/// The host sets ``CarPlayModule/system``. Without a host the system is ``NoCar``.
@MainActor
package protocol CarPlaySystem: AnyObject {
  /// The settings of the car and of the iOS version.
  var settings: CarSettings { get }

  /// The categories that the app's entitlements give.
  var categories: Set<AppCategory> { get }

  /// The car's limits now, and the style of its maps and videos.
  var session: SessionState { get }

  /// Asks for a change of the screens. The system calls `completion` when the change is applied or refused.
  ///
  /// A refused request without a completion raises, as in the real framework (CarPlay/Frameworks.md#completion-behavior).
  func perform(
    _ request: InterfaceRequest, of controller: CPInterfaceController, animated: Bool,
    completion: ((Bool, (any Error)?) -> Void)?)

  /// Returns the templates of a controller as they are now.
  func state(of controller: CPInterfaceController) -> InterfaceState

  /// Receives a change that the app made to an object after its initialiser. `change` is the name of the property, or of
  /// the method without its parameters.
  func changed(_ object: AnyObject, _ change: StaticString)

  /// Receives an object that the app creates, from its initializer.
  func created(_ object: AnyObject)

  /// Asks for something that is no change of the stack of templates.
  func perform(_ command: TemplateCommand)

  /// Receives a finding that the real framework does not report.
  func report(_ diagnostic: CarDiagnostic)

  /// Raises an exception of the framework. Returns if the host records exceptions instead of ending the app.
  func raise(_ exception: CarPlayException)
}

/// The place where the CarPlay module finds its system.
@MainActor
package enum CarPlayModule {
  /// The car and the phone around the app.
  package static var system: any CarPlaySystem = NoCar.shared

  /// The counts of the car and the iOS version.
  static var limits: CarLimits { system.settings.limits }

  /// The sizes of images of the car and the iOS version.
  static var imageSizes: CarImageSizes { system.settings.imageSizes }

  /// Tells the system that the app changed an object.
  static func changed(_ object: AnyObject, _ change: StaticString) { system.changed(object, change) }
}

/// A change of the stack of templates that an app asks for.
@MainActor
package enum InterfaceRequest {
  case setRoot(CPTemplate)
  case push(CPTemplate)
  case pop
  case popToRoot
  case popTo(CPTemplate)
  case present(CPTemplate)
  case dismiss
}

/// The templates of an interface controller.
@MainActor
package struct InterfaceState {
  /// The stack of templates, the root first. In an app with tabs, the root is the tab bar, and the templates above it
  /// are those of the selected tab.
  package var templates: [CPTemplate]
  /// The modal template.
  package var presented: CPTemplate?

  /// Creates a state.
  package init(templates: [CPTemplate] = [], presented: CPTemplate? = nil) {
    self.templates = templates
    self.presented = presented
  }
}

/// The facts about a car that an app may read while the car drives.
@MainActor
package struct SessionState {
  /// The parts of the interface that the car limits.
  package var limitedUserInterfaces: CPLimitableUserInterface
  /// The style of maps and other content.
  package var contentStyle: CPContentStyle
  /// Whether the car can play a video.
  package var supportsVideoPlayback: Bool

  /// Creates a state.
  package init(
    limitedUserInterfaces: CPLimitableUserInterface = [], contentStyle: CPContentStyle = .light,
    supportsVideoPlayback: Bool = false
  ) {
    self.limitedUserInterfaces = limitedUserInterfaces
    self.contentStyle = contentStyle
    self.supportsVideoPlayback = supportsVideoPlayback
  }
}

/// A request of a template that is no change of the stack.
@MainActor
package enum TemplateCommand {
  /// A session configuration was made. The host keeps it weakly and reports changes to its delegate.
  case observeSession(CPSessionConfiguration)
  /// The app selects a tab. The host sets ``CPTabBarTemplate/selectedTemplate``.
  case selectTab(CPTabBarTemplate, index: Int)
  /// A request of a map template, a navigation session or a voice control template.
  case navigation(NavigationCommand)
}
