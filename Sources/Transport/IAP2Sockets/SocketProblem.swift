// swift-iap2 · Apache-2.0

public import IAP2Transport

/// The reason why this side ended the connection of a socket.
public enum SocketProblem: TransportProblem {
  /// The peer sent nothing for this number of seconds while other peers waited.
  case silent(seconds: Int)
}

extension SocketProblem {
  public var explanation: String {
    switch self {
    case .silent(let seconds):
      "the peer sent nothing for \(seconds) s while another one waited, and was disconnected; check that it speaks iAP2"
    }
  }
}
