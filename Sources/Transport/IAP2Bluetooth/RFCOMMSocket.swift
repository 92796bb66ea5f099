// swift-iap2 · Apache-2.0

import IAP2Formats
import IAP2Transport

#if Bluetooth
  import CBlueZ
  import Glibc
  import IAP2
  import IAP2Transport

  /// The Bluetooth sockets of the kernel. Every call may block its thread, up to a named time limit.
  enum RFCOMMSocket {
    /// The time limit of a connection attempt. A controller pages a peer for 5 s before it gives up, and renewing a
    /// bond takes more time.
    static let connectTimeoutMilliseconds: Int32 = 20_000
    /// The time limit of an SDP answer. Hosts answer within a tenth of a second; a sleeping phone takes longer.
    private static let answerTimeoutMilliseconds: Int32 = 10_000
    /// The L2CAP channel (PSM) of SDP.
    private static let serviceDiscovery: UInt16 = 1
    /// The most bytes that L2CAP may deliver at once to a socket with default settings.
    private static let packetByteCount = 1 << 16

    /// Connects to a channel of a peer, encrypted over a bond.
    ///
    /// - Returns: A nonblocking socket.
    static func call(
      _ peer: BluetoothAddress, channel: UInt8, from adapter: Adapter, address: String
    ) throws(TransportError) -> Int32 {
      try RefusedCall.repeating { () throws(TransportError) in
        try callOnce(peer, channel: channel, from: adapter, address: address)
      }
    }

    private static func callOnce(
      _ peer: BluetoothAddress, channel: UInt8, from adapter: Adapter, address: String
    ) throws(TransportError) -> Int32 {
      let descriptor = try open(SOCK_STREAM, BTPROTO_RFCOMM, address)
      do throws(TransportError) {
        var security = bt_security(level: UInt8(BT_SECURITY_MEDIUM), key_size: 0)
        let size = socklen_t(MemoryLayout<bt_security>.size)
        guard unsafe setsockopt(descriptor, SOL_BLUETOOTH, BT_SECURITY, &security, size) == 0 else {
          throw failure(errno, "ask for encryption", address)
        }
        try bind(descriptor, rfcomm(adapter.address, 0), address)
        try connect(descriptor, rfcomm(peer, channel), address)
      } catch {
        Glibc.close(descriptor)
        throw error
      }
      return descriptor
    }

    /// Asks a peer over SDP for the channel of a service. Returns nil if the peer has no such service.
    static func channel(
      of service: BluetoothService, at peer: BluetoothAddress, from adapter: Adapter, address: String
    ) throws(TransportError) -> UInt8? {
      try RefusedCall.repeating { () throws(TransportError) in
        try channelOnce(of: service, at: peer, from: adapter, address: address)
      }
    }

    private static func channelOnce(
      of service: BluetoothService, at peer: BluetoothAddress, from adapter: Adapter, address: String
    ) throws(TransportError) -> UInt8? {
      let descriptor = try open(SOCK_SEQPACKET, BTPROTO_L2CAP, address)
      defer { Glibc.close(descriptor) }
      try bind(descriptor, l2cap(adapter.address, 0), address)
      try connect(descriptor, l2cap(peer, serviceDiscovery), address)
      var search = ServiceSearch(service)
      var request = search.request
      var answer = [UInt8](repeating: 0, count: packetByteCount)
      while true {
        guard unsafe Glibc.send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count
        else { throw failure(errno, "ask for services", address) }
        guard try wait(descriptor, POLLIN, answerTimeoutMilliseconds) else { throw .unreachable(address: address) }
        let count = unsafe recv(descriptor, &answer, answer.count, 0)
        guard count > 0 else { throw failure(count == 0 ? ECONNRESET : errno, "read its services", address) }
        do throws(ServiceSearch.Problem) {
          switch try search.take(Array(answer[..<count]).rawBytes) {
          case .ask(let next): request = next
          case .done(let channel): return channel
          }
        } catch { throw .system(number: EPROTO, operation: "\(address): its answer about services") }
      }
    }

    /// Returns a channel that is unused on all given adapters.
    ///
    /// - Parameter wanted: The only channel that may be returned; nil allows any.
    static func freeChannel(
      _ wanted: UInt8?, on adapters: [Adapter], address: String
    ) throws(TransportError) -> UInt8 {
      let candidates = wanted.map { $0...$0 } ?? ServiceRecord.channelNumbers
      for channel in candidates {
        var isFree = true
        for adapter in adapters where isFree { isFree = try self.isFree(channel, on: adapter, address) }
        if isFree { return channel }
      }
      throw .addressInUse(address: address)
    }

    static func isFree(_ channel: UInt8, on adapter: Adapter, _ address: String) throws(TransportError) -> Bool {
      let descriptor = try open(SOCK_STREAM, BTPROTO_RFCOMM, address)
      defer { Glibc.close(descriptor) }
      do throws(TransportError) { try bind(descriptor, rfcomm(adapter.address, channel), address) } catch {
        guard case .addressInUse = error else { throw error }
        return false
      }
      return true
    }

    // MARK: Helpers

    private static func open(
      _ kind: __socket_type, _ proto: Int32, _ address: String
    ) throws(TransportError) -> Int32 {
      let flags = Int32(kind.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
      let descriptor = socket(AF_BLUETOOTH, flags, proto)
      guard descriptor >= 0 else { throw failure(errno, "open a Bluetooth socket", address) }
      return descriptor
    }

    private static func wire(_ address: BluetoothAddress) -> bdaddr_t {
      let b = address.bytes
      return bdaddr_t(b: (b[5], b[4], b[3], b[2], b[1], b[0]))
    }

    private static func rfcomm(_ address: BluetoothAddress, _ channel: UInt8) -> sockaddr_rc {
      sockaddr_rc(rc_family: sa_family_t(AF_BLUETOOTH), rc_bdaddr: wire(address), rc_channel: channel)
    }

    private static func l2cap(_ address: BluetoothAddress, _ port: UInt16) -> sockaddr_l2 {
      var place = sockaddr_l2()
      place.l2_family = sa_family_t(AF_BLUETOOTH)
      place.l2_psm = port.littleEndian
      place.l2_bdaddr = wire(address)
      return place
    }

    private static func bind<Place>(_ descriptor: Int32, _ place: Place, _ address: String) throws(TransportError) {
      let status = unsafe withUnsafePointer(to: place) { place in
        unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<Place>.size))
        }
      }
      guard status == 0 else { throw failure(errno, "bind", address) }
    }

    private static func connect<Place>(_ descriptor: Int32, _ place: Place, _ address: String) throws(TransportError) {
      let status = unsafe withUnsafePointer(to: place) { place in
        unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Place>.size))
        }
      }
      guard status != 0 else { return }
      guard errno == EINPROGRESS else { throw failure(errno, "connect", address) }
      guard try wait(descriptor, POLLOUT, connectTimeoutMilliseconds) else { throw .unreachable(address: address) }
      var number: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &size)
      guard number == 0 else { throw failure(number, "connect", address) }
    }

    /// Waits for events of a socket. Returns false at the time limit.
    private static func wait(
      _ descriptor: Int32, _ events: Int32, _ milliseconds: Int32
    ) throws(TransportError) -> Bool {
      var waiting = pollfd(fd: descriptor, events: Int16(events), revents: 0)
      while true {
        let count = unsafe poll(&waiting, 1, milliseconds)
        guard count < 0 else { return count > 0 }
        guard errno == EINTR else { throw .system(number: errno, operation: "wait for Bluetooth") }
      }
    }

    private static func failure(_ number: Int32, _ operation: String, _ address: String) -> TransportError {
      switch number {
      // The kernel has no Bluetooth or not this protocol, or no adapter has this address.
      case EAFNOSUPPORT, EPROTONOSUPPORT, ENODEV, EADDRNOTAVAIL: .bluetooth(.noAdapter, address: address)
      case ENETDOWN: .bluetooth(.adapterOff, address: address)
      case ERFKILL: .bluetooth(.adapterBlocked, address: address)
      case ECONNREFUSED, ECONNRESET, ECONNABORTED, EBADE: .bluetooth(.refused, address: address)
      // The security mode of the peer or of this machine forbids a connection with this peer.
      case EACCES where operation == "connect": .bluetooth(.notPaired, address: address)
      case EHOSTDOWN: .unreachable(address: address)
      case EBUSY: .addressInUse(address: address)
      default: TransportError(number: number, operation: operation, address: address)
      }
    }
  }
#endif
