// swift-iap2 · Apache-2.0

import CarPlayDrawing
import CarPlayPlatform
import Glibc
import IAP2
import IAP2Transport
import IAP2Transports
import Synchronization

/// The mover of bytes between a transport and the thread of a run.
///
/// The thread polls ``descriptor`` and takes ``events()``. A piece of received bytes waits until the app has
/// processed the previous piece, so a fast peer cannot fill the memory.
final class TransportCarrier: Sendable {
  /// An event of the transport, with the number of the connection.
  enum Event: Sendable {
    case opened(Int, address: String)
    case received(Int, [UInt8])
    case sent(Int)
    case ended(Int)
    /// The transport cannot be opened.
    case failed(TransportError)
    /// No further connection follows.
    case over
  }

  /// A connection with the signals that its tasks wait for.
  private struct Connection: Sendable {
    var number: Int
    var transport: any ByteTransport
    let taken = Signal()
    let closing = Signal()
    let output: AsyncStream<[UInt8]>.Continuation
  }

  private struct State {
    var events: [Event] = []
    var lastNumber = 0
    var connection: Connection?
    var source: (any TransportSource)?
    var task: Task<Void, Never>?
    var isStopped = false
  }

  let choice: CarTransportChoice
  /// The descriptor that is readable while events wait.
  let descriptor: Int32
  private let writing: Int32
  private let note: @Sendable (String) -> Void
  private let state = Mutex(State())

  init(_ choice: CarTransportChoice, note: @escaping @Sendable (String) -> Void) throws(CarFailure) {
    self.choice = choice
    self.note = note
    do { (descriptor, writing) = try Descriptors.pipe() } catch {
      throw CarFailure(.system, "the system refuses a pipe: \(error.text)")
    }
  }

  deinit { Descriptors.close(descriptor, writing) }

  // MARK: The thread of the run

  /// Opens the transport.
  func start() {
    let task = Task { await run() }
    state.withLock { $0.task = task }
  }

  /// Takes the waiting events, in order.
  func events() -> [Event] {
    var byte: UInt8 = 0
    // One byte represents all waiting events.
    return state.withLock { state in
      guard !state.events.isEmpty else { return [] }
      while unsafe Glibc.read(descriptor, &byte, 1) < 0, errno == EINTR {}
      defer { state.events = [] }
      return state.events
    }
  }

  /// Sends bytes on a connection. The event ``Event/sent(_:)`` follows.
  func send(_ bytes: [UInt8], on number: Int) { connection(number)?.output.yield(bytes) }

  /// Records that the app has processed the last piece of a connection.
  func taken(on number: Int) { connection(number)?.taken.notify() }

  /// Closes a connection.
  func close(_ number: Int) { connection(number)?.closing.notify() }

  private func connection(_ number: Int) -> Connection? {
    state.withLock { $0.connection.flatMap { $0.number == number ? $0 : nil } }
  }

  // MARK: Tasks

  /// Closes the transport, and returns after it is closed, so that no socket file or gadget remains.
  func finish() async {
    let (task, source, open) = state.withLock { state in
      state.isStopped = true
      return (state.task, state.source, state.connection?.transport)
    }
    await open?.close()
    await source?.close()
    // The app has ended, so the last piece will not be processed.
    task?.cancel()
    // A pending attempt to connect is abandoned.
    if source != nil { await task?.value }
  }

  private func run() async {
    let address = choice.address
    let source: any TransportSource
    do throws(TransportError) {
      source = try await address.open(once: false, as: .device, limitsSilence: true) { [note] notice in
        if let text = notice.text { note("\(notice.address): \(text)") }
      }
    } catch { return post(.failed(error)) }
    let isStopped = state.withLock { state in
      state.source = source
      return state.isStopped
    }
    if address.isWaiting { note("waiting at \(source.address)") }
    if address.isSearching { note("\(source.address): waiting for a device; iap2 devices lists what is attached") }
    do throws(TransportError) {
      while !isStopped, let transport = try await source.next() { await carry(transport) }
    } catch { note(AnyTransportAddress.explanation(of: error)) }
    await source.close()
    post(.over)
  }

  private func carry(_ transport: any ByteTransport) async {
    let (outputs, output) = AsyncStream<[UInt8]>.makeStream()
    let connection = state.withLock { state -> Connection? in
      guard !state.isStopped else { return nil }
      state.lastNumber += 1
      state.connection = Connection(number: state.lastNumber, transport: transport, output: output)
      return state.connection
    }
    guard let connection else { return await transport.close() }
    let number = connection.number
    post(.opened(number, address: transport.address))
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for await bytes in outputs {
          do { try await transport.send(bytes) } catch { return await transport.close() }
          self.post(.sent(number))
        }
      }
      group.addTask {
        await connection.closing.wait()
        if !Task.isCancelled { await transport.close() }
      }
      await read(connection)
      group.cancelAll()
    }
    await transport.close()
    state.withLock { $0.connection = nil }
    post(.ended(number))
  }

  private func read(_ connection: Connection) async {
    do throws(TransportError) {
      while var rest = try await connection.transport.receive()?[...] {
        while !rest.isEmpty {
          post(.received(connection.number, Array(rest.prefix(CarTransport.maximumByteCount))))
          rest = rest.dropFirst(CarTransport.maximumByteCount)
          await connection.taken.wait()
        }
      }
    } catch { note(AnyTransportAddress.explanation(of: error)) }
  }

  private func post(_ event: Event) {
    state.withLock { state in
      if state.events.isEmpty {
        var byte: UInt8 = 1
        while unsafe Glibc.write(writing, &byte, 1) < 0, errno == EINTR {}
      }
      state.events.append(event)
    }
  }
}
