// swift-iap2 · Apache-2.0

@_exported public import AVFoundation

/// A delegate that performs actions on the app's calls. All methods but the first one are optional.
public protocol CXProviderDelegate: NSObjectProtocol {
  /// Tells the delegate that the system has ended every call.
  func providerDidReset(_ provider: CXProvider)
  /// Tells the delegate that the provider is ready.
  func providerDidBegin(_ provider: CXProvider)
  /// Performs a whole transaction and returns true, or returns false to get its actions.
  func provider(_ provider: CXProvider, execute transaction: CXTransaction) -> Bool
  /// Begins a call.
  func provider(_ provider: CXProvider, perform action: CXStartCallAction)
  /// Answers a call.
  func provider(_ provider: CXProvider, perform action: CXAnswerCallAction)
  /// Ends a call.
  func provider(_ provider: CXProvider, perform action: CXEndCallAction)
  /// Holds a call, or takes it back.
  func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction)
  /// Mutes a call.
  func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction)
  /// Joins calls.
  func provider(_ provider: CXProvider, perform action: CXSetGroupCallAction)
  /// Sends tones of the keypad.
  func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction)
  /// Tells the delegate that the app did not answer in time.
  func provider(_ provider: CXProvider, timedOutPerforming action: CXAction)
  /// Tells the delegate that the app may use the sound of the phone.
  func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession)
  /// Tells the delegate that the app may no longer use the sound of the phone.
  func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession)
}

extension CXProviderDelegate {
  /// Does nothing.
  public func providerDidBegin(_ provider: CXProvider) {}
  /// Returns false.
  public func provider(_ provider: CXProvider, execute transaction: CXTransaction) -> Bool { false }
  /// Answers that the app cannot do it.
  public func provider(_ provider: CXProvider, perform action: CXStartCallAction) { action.fail() }
  /// Answers that the app cannot do it.
  public func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) { action.fail() }
  /// Answers that the app cannot do it.
  public func provider(_ provider: CXProvider, perform action: CXEndCallAction) { action.fail() }
  /// Answers that the app cannot do it.
  public func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) { action.fail() }
  /// Answers that the app cannot do it.
  public func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) { action.fail() }
  /// Answers that the app cannot do it.
  public func provider(_ provider: CXProvider, perform action: CXSetGroupCallAction) { action.fail() }
  /// Answers that the app cannot do it.
  public func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) { action.fail() }
  /// Does nothing.
  public func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {}
  /// Does nothing.
  public func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) {}
  /// Does nothing.
  public func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) {}
}
