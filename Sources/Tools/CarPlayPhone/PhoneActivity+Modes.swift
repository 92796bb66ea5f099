// swift-iap2 · Apache-2.0

package import CarPlayPlatform
package import CarPlaySession

extension PhoneActivity {
  /// Returns the requests by which a phone reports a change of its activity: a call and Siri borrow screen and speakers,
  /// and speak (CarPlaySession.md#modes-fields); a recording borrows the speakers, with which the microphone comes, and
  /// listens; guidance is a state alone.
  package func requests(after earlier: PhoneActivity) -> [ModeRequest] {
    var requests: [ModeRequest] = []
    let (needed, before) = (resources, earlier.resources)
    func transfer(_ resources: [ModeResource], _ transfer: ModeTransfer) {
      guard !resources.isEmpty else { return }
      requests.append(ModeRequest(resources.map { ($0, transfer) }, reason: reason))
    }
    func add(_ state: ModeAppState) { requests.append(ModeRequest(appStates: [state], reason: reason)) }
    transfer(needed.filter { !before.contains($0) }, .borrow(.userInitiated, unborrow: .anytime))
    if (call == nil) != (earlier.call == nil) { add(.phoneCall(call != nil)) }
    if speechMode != earlier.speechMode { add(.speech(speechMode)) }
    transfer(before.filter { !needed.contains($0) }, .unborrow)
    if isGuiding != earlier.isGuiding { add(.turnByTurn(isGuiding)) }
    return requests
  }

  /// The resources that the phone borrows.
  private var resources: [ModeResource] {
    call != nil || showsSiri ? [.screen, .mainAudio] : recording != nil ? [.mainAudio] : []
  }

  private var speechMode: SpeechMode {
    call != nil || showsSiri ? .speaking : recording != nil ? .recognizing : .none
  }

  private var reason: String { "app" }
}
