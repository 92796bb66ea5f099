// swift-iap2 · Apache-2.0

public import CarPlaySession

/// An event of a directory.
public enum DirectoryEvent: Sendable, Hashable {
  /// A service is advertised, under this name.
  case advertised(CarPlayService, name: String, port: UInt16)
  /// The services on the network have changed.
  case changed(ServiceChange)
  /// The daemon or the system's bus ended. Everything that was found is lost.
  case daemonGone
  /// The daemon is back: services are advertised and searched again.
  case daemonBack
  /// More services are on the network than are looked at; the others wait until one is gone.
  case crowded(limit: Int)
  /// A request of the directory failed. The others go on.
  case failed(DirectoryProblem)
}

/// The reason why services cannot be advertised or found.
public enum DirectoryProblem: Error, Sendable, Hashable {
  /// The command was built without D-Bus.
  case notBuilt
  /// The machine has no system bus, or avahi-daemon is not running.
  case noDaemon
  /// avahi-daemon did not answer in time.
  case silent
  /// The system's bus refuses this user.
  case denied
  /// The system refused a resource, or Avahi another request.
  case failed(String)

  /// The reason in words, with the next step.
  public var explanation: String {
    switch self {
    case .notBuilt: "this build has no D-Bus: build it with the trait Bluetooth"
    case .noDaemon:
      "avahi-daemon is not running, or this machine has no D-Bus; install avahi-daemon and start it: systemctl start "
        + "avahi-daemon. Without it name addresses by hand: --listen of the head unit, --connect of the phone"
    case .silent: "avahi-daemon does not answer; restart it: systemctl restart avahi-daemon"
    case .denied: "the system's D-Bus refuses this user: see /etc/dbus-1/system.d/avahi-dbus.conf"
    case .failed(let text): "avahi-daemon: \(text)"
    }
  }
}
