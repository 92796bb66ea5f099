// swift-iap2 · Apache-2.0

package import CarPlayPlatform
package import CarPlaySession

extension PhoneActivity {
  /// Returns the requests by which a phone reports a change of its activity: a call and Siri borrow screen and speakers,
  /// and speak (CarPlaySession.md#modes-fields); guidance is a state alone.
  package func requests(after earlier: PhoneActivity) -> [ModeRequest] {
    var requests: [ModeRequest] = []
    let (speaks, spoke) = (call != nil || showsSiri, earlier.call != nil || earlier.showsSiri)
    func both(_ transfer: ModeTransfer) -> ModeRequest {
      ModeRequest([(.screen, transfer), (.mainAudio, transfer)], reason: reason)
    }
    func add(_ state: ModeAppState) { requests.append(ModeRequest(appStates: [state], reason: reason)) }
    if speaks, !spoke { requests.append(both(.borrow(.userInitiated, unborrow: .anytime))) }
    if (call == nil) != (earlier.call == nil) { add(.phoneCall(call != nil)) }
    if speaks != spoke { add(.speech(speaks ? .speaking : .none)) }
    if spoke, !speaks { requests.append(both(.unborrow)) }
    if isGuiding != earlier.isGuiding { add(.turnByTurn(isGuiding)) }
    return requests
  }

  private var reason: String { "app" }
}
