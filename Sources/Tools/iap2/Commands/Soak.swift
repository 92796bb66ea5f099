// swift-iap2 · Apache-2.0

import ArgumentParser
import CommandSupport
import Foundation
import IAP2
import IAP2Authentication
import IAP2Faults
import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import IAP2Simulation
import IAP2Transport
import IAP2Transports
import Synchronization

struct SoakCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "soak", abstract: "Connect, use and disconnect many times, and check for leaks.",
    discussion: """
      On loopback both roles run through all cycles. On any other transport one role runs, against a peer that serves \
      one connection after another: every cycle dials again, or accepts again on a listening transport. Each cycle of \
      a phone exchanges \(Soak.exchangeByteCount) bytes over an EA session, and more until the 8-bit \
      sequence numbers have wrapped on both sides. On other transports, --exchange names the protocol of an accessory \
      that echoes; without it nothing is exchanged. Until the numbers have wrapped, about 256 packets are sent one at \
      a time, so a cycle takes as many round trips.

      Each cycle must connect once, disconnect once, return the sent bytes and wrap the numbers. At the end, the \
      process must have no more descriptors and threads than after the first cycles, and no more memory than --growth \
      allows. Exit code 1 if one of these fails.

      Examples:
        iap2 soak --cycles 1000
        iap2 soak --cycles 100 --as phone --transport tcp:127.0.0.1:7000 --exchange com.example.echo
        iap2 soak --cycles 50 --as phone --transport usb --json
        iap2 soak --cycles 1000 --fault loss=0.02,jitter=20 --seed 7
      """)

  @Option(help: "The number of cycles.")
  var cycles = 1000

  @Option(
    help: ArgumentHelp(
      "loopback (default): both roles in memory, in virtual time; or the transport to the other side: \(AnyTransportAddress.forms).",
      valueName: "transport"))
  var transport = "loopback"

  @Option(name: .customLong("as"), help: "The role of this program on a transport: headunit or phone (default).")
  var role = Role.phone

  @Option(
    help: ArgumentHelp(
      "As phone: exchange bytes over this protocol of an accessory that echoes them.", valueName: "name")
  )
  var exchange: String?

  @Option(help: ArgumentHelp("The allowed growth of memory after the first cycles, in megabytes.", valueName: "MB"))
  var growth = 16

  @Flag(help: "Print one JSON object at the end.")
  var json = false

  @OptionGroup var colors: ColorOptions

  @OptionGroup(title: "Faults") var faults: FaultOptions

  /// The number of cycles after which all one-time allocations are made.
  private static let warmUpCycles = 20

  func validate() throws {
    try faults.check(events: RoleEvent.names)
    guard (2...100_000_000).contains(cycles) else {
      throw ValidationError("--cycles takes 2 to 100000000, because the last cycles are compared with the first")
    }
    guard (0...1_000_000).contains(growth) else { throw ValidationError("--growth takes 0 to 1000000 megabytes") }
    if exchange != nil, role == .headUnit {
      throw ValidationError("--exchange needs --as phone: a phone opens sessions")
    }
    guard transport != "loopback" else {
      if exchange != nil {
        throw ValidationError("loopback has a protocol of its own: leave out --exchange, or name a transport")
      }
      return
    }
    _ = try AnyTransportAddress(option: transport, as: role.side)
  }

  func run() async throws {
    let watch = SoakWatch(warmUp: min(Self.warmUpCycles, cycles / 2), total: cycles)
    let plan = try faults.drawn(events: RoleEvent.names)
    let start = ContinuousClock.now
    var done = 0
    do {
      if transport == "loopback" {
        let stop = StopSignal(whenUnread: true) {}
        done = try Soak.loopback(cycles: cycles, faults: plan) { count in
          watch.note(count)
          return !stop.isRequested
        }
      } else {
        done = try await live(watch, plan)
      }
    } catch let problem as Soak.Problem {
      watch.clear()
      throw CommandFailure(.failed, "cycle \(watch.count + 1): \(Self.text(problem))")
    }
    watch.clear()
    try finish(watch, done, ContinuousClock.now - start)
  }

  private func live(_ watch: SoakWatch, _ plan: FaultPlan?) async throws -> Int {
    let address = try AnyTransportAddress(option: transport)
    let clock = WallClock()
    var options = RoleOptions()
    options.clock = clock
    options.identifyTimeout = .seconds(30)
    let phone = Phone(options: options)
    let headUnit = HeadUnit(profile: .standard(), options: options)
    let log = SoakLog(clock: clock)
    let source = ReopenedSource(address, as: role.side) {
      Output.note("waiting at \($0)")
    } report: {
      $0.show()
    }
    let stop = StopSignal(whenUnread: true) {
      await source.close()
      await phone.disconnect()
      await headUnit.disconnect()
    }
    let events = role == .phone ? phone.events : headUnit.events
    let injection = FaultInjection(plan, side: role.side, clock: clock)
    let following = Task { await log.follow(events) { injection.happened($0.event) } }
    defer { following.cancel() }
    var done = 0
    do {
      while done < cycles, !stop.isRequested {
        guard let next = try await source.next() else { break }
        let transport = injection.around(next)
        do {
          switch role {
          case .phone: try await Soak.cycle(phone, log, on: transport, exchange: exchange)
          case .headUnit: try await Soak.cycle(headUnit, log, on: transport)
          }
          done += 1
          try await log.check(done)
        } catch {
          await source.close()
          // A cycle that Ctrl-C cut short is no result about the peer.
          if stop.isRequested { return done }
          throw error
        }
        watch.note(done)
      }
      await source.close()
    } catch let error as TransportError { throw CommandFailure(error) }
    return done
  }

  private func finish(_ watch: SoakWatch, _ done: Int, _ time: Duration) throws {
    let after = try ProcessResources.now()
    let before = watch.before ?? after
    let line = SoakLine(done: done, before: before, after: after, seconds: time / .seconds(1))
    let grown = after.residentBytes - before.residentBytes
    if json { try Output.json(line) } else { Output.line(line.text) }
    if after.descriptors > before.descriptors {
      throw CommandFailure(.failed, "\(after.descriptors - before.descriptors) descriptors were left open")
    }
    // Thread pools vary in size. A leak of one thread per cycle exceeds the tolerance.
    if after.threads > before.threads + Self.pooledThreads {
      throw CommandFailure(.failed, "\(after.threads - before.threads) threads were left running")
    }
    if grown > growth << 20 {
      let text = String(format: "%.1f", Double(grown) / Double(1 << 20))
      throw CommandFailure(.failed, "memory grew by \(text) MB; --growth allows \(growth)")
    }
    if done < cycles { throw CommandFailure(.failed, "only \(done) of \(cycles) cycles were done") }
  }

  /// The tolerance for threads that the runtime adds under load.
  private static let pooledThreads = 8

  private static func text(_ problem: Soak.Problem) -> String {
    switch problem {
    case .neverReady: "the other side did not become ready"
    case .wrongBytes(let right, let count): "only \(right) of \(count) bytes came back as they were sent"
    case .exchange(let error): error.text
    case .neverWrapped: "the sequence numbers did not wrap, though more than 256 packets went each way"
    case .verdicts(let connected, let disconnected):
      "\(connected) connections and \(disconnected) disconnects were reported so far, instead of one per cycle"
    }
  }
}

/// The progress of a soak, and the process's resources after the warm-up.
private final class SoakWatch: Sendable {
  private let warmUp: Int
  private let progress: CountProgress?
  private let state = Mutex<(count: Int, before: ProcessResources?)>((0, nil))

  init(warmUp: Int, total: Int) {
    self.warmUp = warmUp
    progress = CountProgress(total: total, unit: "cycles")
  }

  var count: Int { state.withLock { $0.count } }
  var before: ProcessResources? { state.withLock { $0.before } }

  func note(_ count: Int) {
    state.withLock { state in
      state.count = count
      // Without /proc there is no baseline, which is reported at the end.
      if count == warmUp { do { state.before = try ProcessResources.now() } catch {} }
    }
    progress?.note(count)
  }

  func clear() { progress?.clear() }
}

private struct SoakLine: Encodable {
  struct Held: Encodable {
    var descriptors: Int
    var threads: Int
    var residentBytes: Int

    init(_ resources: ProcessResources) {
      descriptors = resources.descriptors
      threads = resources.threads
      residentBytes = resources.residentBytes
    }
  }

  var event = "soak"
  var cycles: Int
  var before: Held
  var after: Held
  var seconds: Double

  init(done: Int, before: ProcessResources, after: ProcessResources, seconds: Double) {
    cycles = done
    self.before = Held(before)
    self.after = Held(after)
    self.seconds = seconds
  }

  var text: String {
    let rate = Int(Double(cycles) / max(seconds, 1e-3))
    return "\(cycles) cycles, \(rate) a second; descriptors \(before.descriptors) → \(after.descriptors), threads "
      + "\(before.threads) → \(after.threads), memory \(before.residentBytes >> 20) → \(after.residentBytes >> 20) MB"
  }
}
