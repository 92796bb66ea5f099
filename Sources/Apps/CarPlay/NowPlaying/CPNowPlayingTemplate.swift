// swift-iap2 · Apache-2.0

public import Foundation
import PortingSupport

/// The screen of what plays. Its texts, artwork and transport buttons come from `MPNowPlayingInfoCenter` and
/// `MPRemoteCommandCenter`.
///
/// The car may show it without a push, so an app configures it when the car connects.
@available(iOS 14.0, *)
@preconcurrency @MainActor
open class CPNowPlayingTemplate: CPTemplate {
  /// The only template of the app.
  public class var shared: CPNowPlayingTemplate { current }

  /// The object that ``shared`` returns. A host sets a new one when it starts another app in the same process.
  package static var current = CPNowPlayingTemplate()

  /// The buttons that the app gave. The car shows five.
  public private(set) var nowPlayingButtons: [CPNowPlayingButton] = []

  /// Whether the button of the queue is visible.
  public var isUpNextButtonEnabled: Bool = false { didSet { noteChange() } }

  /// The title of the queue's button. The button shows an icon if it is empty.
  public var upNextTitle: String = "" { didSet { noteChange() } }

  /// Whether the album and the artist are a button.
  public var isAlbumArtistButtonEnabled: Bool = false { didSet { noteChange() } }

  /// The special layout, such as that of a sports event.
  @available(iOS 18.4, *)
  public var nowPlayingMode: CPNowPlayingMode? { didSet { noteChange() } }

  private var weakObservers: [WeakObserver] = []

  /// Creates a template. Apps use ``shared``.
  package override init() { super.init() }

  /// The observers that exist, in the order in which they were added.
  package var observers: [any CPNowPlayingTemplateObserver] { weakObservers.compactMap(\.observer) }

  /// Adds an observer. Each observer is added once.
  // Unverified: the template keeps observers weakly.
  public func add(_ observer: any CPNowPlayingTemplateObserver) {
    remove(observer)
    weakObservers.append(WeakObserver(observer: observer))
  }

  /// Removes an observer.
  public func remove(_ observer: any CPNowPlayingTemplateObserver) {
    weakObservers.removeAll { $0.observer == nil || $0.observer === observer }
  }

  /// Replaces the buttons.
  public func updateNowPlayingButtons(_ nowPlayingButtons: [CPNowPlayingButton]) {
    self.nowPlayingButtons = nowPlayingButtons
    noteChange("updateNowPlayingButtons")
  }
}

private struct WeakObserver {
  weak var observer: (any CPNowPlayingTemplateObserver)?
}

/// An object that learns about taps on the Now Playing screen. All methods are optional.
@available(iOS 14.0, *)
@preconcurrency @MainActor
public protocol CPNowPlayingTemplateObserver: NSObjectProtocol {
  /// Reports a tap on the queue's button.
  func nowPlayingTemplateUpNextButtonTapped(_ nowPlayingTemplate: CPNowPlayingTemplate)
  /// Reports a tap on the album or the artist.
  func nowPlayingTemplateAlbumArtistButtonTapped(_ nowPlayingTemplate: CPNowPlayingTemplate)
}

@available(iOS 14.0, *)
extension CPNowPlayingTemplateObserver {
  /// Does nothing.
  public func nowPlayingTemplateUpNextButtonTapped(_ nowPlayingTemplate: CPNowPlayingTemplate) {
    OptionalMethod.isMissing(in: self)
  }
  /// Does nothing.
  public func nowPlayingTemplateAlbumArtistButtonTapped(_ nowPlayingTemplate: CPNowPlayingTemplate) {
    OptionalMethod.isMissing(in: self)
  }
}
