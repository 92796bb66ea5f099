// swift-iap2 · Apache-2.0

import IAP2Formats
import IAP2Transport

#if Bluetooth
  import CBlueZ
  import Glibc
  import IAP2
  import IAP2Transport
  import Synchronization

  /// A transport on a connected RFCOMM socket.
  ///
  /// Its own thread reads, and writes the bytes that the socket does not take at once.
  final class RFCOMMTransport: ByteTransport {
    private struct State: Sendable {
      /// The bytes of `writer` that are not written yet.
      var outgoing: ArraySlice<UInt8> = []
      var writer: CheckedContinuation<TransportError?, Never>?
      var isEnding = false
      var failure: TransportError?
      /// Whether the socket is closed.
      var isOver = false
      /// Whether all waiting tasks were resumed after that.
      var isReported = false
      var closers: [CheckedContinuation<Void, Never>] = []
    }

    /// The size of one read in bytes: several RFCOMM frames.
    private static let readByteCount = 1 << 14
    /// The number of checks of the adapter and the time between them, at most a second in all. An adapter that is being
    /// powered off first ends its connections, and each looks as if the peer had ended it.
    private static let offChecks = 20
    private static let offCheckMicroseconds: UInt32 = 50_000

    private let descriptor: Int32
    private let wake: Int32
    private let wakeWriter: Int32
    /// The number of the adapter.
    private let adapter: UInt16
    private let peer: BluetoothAddress
    private let inbox = Inbox()
    private let state = Mutex(State())
    private let onEnd: @Sendable () -> Void
    let address: String

    /// Takes ownership of the socket.
    ///
    /// - Parameter onEnd: Called once, when the socket is closed.
    init(
      _ descriptor: Int32, adapter: UInt16, peer: BluetoothAddress, address: String,
      onEnd: @escaping @Sendable () -> Void = {}
    ) throws(TransportError) {
      var ends: [Int32] = [0, 0]
      guard unsafe pipe(&ends) == 0 else {
        Glibc.close(descriptor)
        throw .system(number: errno, operation: "pipe")
      }
      for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
      (wake, wakeWriter) = (ends[0], ends[1])
      self.descriptor = descriptor
      self.adapter = adapter
      self.peer = peer
      self.address = address
      self.onEnd = onEnd
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      startThread(bluetoothThread) { self.work() }
    }

    // MARK: The stream

    func receive() async throws(TransportError) -> [UInt8]? {
      let wasFull = inbox.isFull
      let bytes = try await inbox.take()
      // The lock and the check are needed, because the thread closes the pipe at the end.
      if wasFull { state.withLock { if !$0.isEnding { stir() } } }
      return bytes
    }

    func send(_ bytes: [UInt8]) async throws(TransportError) {
      guard !bytes.isEmpty else { return }
      let failure = await withTaskCancellationHandler {
        await withCheckedContinuation { (continuation: CheckedContinuation<TransportError?, Never>) in
          write(bytes, continuation)
        }
      } onCancel: {
        end(nil)
      }
      if let failure { throw failure }
    }

    func close() async {
      end(nil)
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        let isOver = state.withLock { state in
          if !state.isReported { state.closers.append(continuation) }
          return state.isReported
        }
        if isOver { continuation.resume() }
      }
    }

    private enum Written { case all, part, nothingMore }

    private func write(_ bytes: [UInt8], _ writer: CheckedContinuation<TransportError?, Never>) {
      // The lock is needed, because the thread closes the socket.
      let written = state.withLock { state -> Written in
        guard !state.isEnding else { return .nothingMore }
        state.outgoing = bytes[...]
        let written = Self.write(descriptor, &state.outgoing)
        if case .part = written {
          state.writer = writer
          stir()
        }
        return written
      }
      switch written {
      case .all: writer.resume(returning: nil)
      case .part: break
      case .nothingMore: writer.resume(returning: .closed)
      }
    }

    /// Writes as many bytes as the socket takes now. The thread writes the rest, and also finds the reason of an error.
    private static func write(_ descriptor: Int32, _ bytes: inout ArraySlice<UInt8>) -> Written {
      while !bytes.isEmpty {
        let count = unsafe bytes.withUnsafeBytes {
          unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return .part }
        bytes = bytes.dropFirst(count)
      }
      return .all
    }

    private func takeWriter() -> CheckedContinuation<TransportError?, Never>? {
      state.withLock { state in
        defer { state.writer = nil }
        return state.writer
      }
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    // MARK: The thread

    /// Wakes the thread.
    private func stir() { _ = unsafe Glibc.write(wakeWriter, [0], 1) }

    /// Ends the connection. Only the first call sets the reason; nil means that the end was requested.
    func end(_ failure: TransportError?) {
      state.withLock { state in
        guard !state.isEnding else { return }
        state.isEnding = true
        state.failure = failure
        // The lock is needed: once the thread has seen the end, it closes the pipe.
        stir()
      }
    }

    private func work() {
      var buffer = [UInt8](repeating: 0, count: Self.readByteCount)
      while true {
        let (isEnding, isWriting) = state.withLock { ($0.isEnding, !$0.outgoing.isEmpty) }
        if isEnding { break }
        let events = (inbox.isFull ? 0 : POLLIN) | (isWriting ? POLLOUT : 0)
        var waiting = [
          pollfd(fd: descriptor, events: Int16(events), revents: 0),
          pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
        ]
        guard unsafe poll(&waiting, 2, -1) >= 0 || errno == EINTR else {
          end(.system(number: errno, operation: "\(address): wait"))
          continue
        }
        while unsafe Glibc.read(wake, &buffer, buffer.count) > 0 {}
        let seen = Int32(waiting[0].revents)
        if seen & (POLLIN | POLLHUP | POLLERR) != 0 { read(&buffer) }
        if seen & POLLOUT != 0 { writeRest() }
      }
      finish()
    }

    private func read(_ buffer: inout [UInt8]) {
      let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
      switch count {
      case 1...: _ = inbox.append(buffer.rawBytes.extracting(0..<count))
      case 0: end(adapterProblem(waits: false))
      default:
        guard errno != EAGAIN, errno != EINTR else { return }
        end(cause(errno))
      }
    }

    private func writeRest() {
      let written = state.withLock { Self.write(descriptor, &$0.outgoing) }
      if case .all = written { takeWriter()?.resume(returning: nil) }
    }

    private func finish() {
      // bluetoothd keeps a copy of a socket that it passed to this program. Closing this copy alone would end nothing.
      shutdown(descriptor, Int32(SHUT_RDWR))
      let failure = state.withLock { state in
        for descriptor in [descriptor, wake, wakeWriter] { Glibc.close(descriptor) }
        return state.failure
      }
      state.withLock { $0.isOver = true }
      onEnd()
      takeWriter()?.resume(returning: failure ?? .closed)
      inbox.finish(failure)
      let closers = state.withLock { state in
        state.isReported = true
        defer { state.closers = [] }
        return state.closers
      }
      for closer in closers { closer.resume() }
    }

    // MARK: Causes

    /// Returns the reason why the kernel ended the connection. The kernel derives these errors from the reasons that
    /// controllers give (`bt_to_errno`).
    private func cause(_ number: Int32) -> TransportError? {
      switch number {
      case ETIMEDOUT, EHOSTDOWN: .bluetooth(.outOfRange, address: address)
      // This is also the normal end of the stream. The ACL link then stays up for a second or two.
      case ECONNRESET:
        Adapter.isConnected(adapter, to: peer)
          ? nil : adapterProblem(waits: true) ?? .bluetooth(.droppedByPeer, address: address)
      case ECONNABORTED, ENODEV, ENETDOWN, EIO:
        adapterProblem(waits: true) ?? .bluetooth(.droppedHere, address: address)
      default: TransportError(number: number, operation: "read", address: address)
      }
    }

    /// Returns the problem that this machine's adapter has now or, with `waits`, within a second.
    private func adapterProblem(waits: Bool) -> TransportError? {
      for _ in 0..<(waits ? Self.offChecks : 1) {
        guard let adapter = Adapter(adapter) else { return .bluetooth(.noAdapter, address: address) }
        if let problem = adapter.problem { return .bluetooth(problem, address: address) }
        if waits { usleep(Self.offCheckMicroseconds) }
      }
      return nil
    }
  }
#endif
