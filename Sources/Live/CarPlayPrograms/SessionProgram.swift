// swift-iap2 · Apache-2.0

public import Basics
public import CarPlaySession

/// A program that drives a session for its owner. It reacts to events, and sends content at the times that it plans.
public protocol SessionProgram: Sendable {
  /// The session of the program's side.
  associatedtype Machine: SessionMachine

  /// Reacts to an event.
  mutating func handle(_ event: SessionEvent, _ machine: inout Machine, at time: MonotonicTime)
  /// Handles the deadlines that have passed.
  mutating func handleDeadline(_ machine: inout Machine, at time: MonotonicTime)
  /// The time of the next call of ``handleDeadline(_:at:)``; nil if no deadline is set.
  var nextDeadline: MonotonicTime? { get }
}

/// A session with its program. An owner drives both like the session alone.
public struct ProgrammedSession<Program: SessionProgram>: SessionMachine {
  /// The session.
  public var machine: Program.Machine
  /// The program.
  public var program: Program
  /// The time of the last call, at which the program reacts.
  private var time = MonotonicTime.zero
  /// The actions of the session to which the program reacts. The memory is reused.
  private var taken: [SessionAction] = []

  /// Joins a session and its program.
  public init(_ machine: Program.Machine, _ program: Program) { (self.machine, self.program) = (machine, program) }

  /// Calls the program as its owner.
  mutating func act<Result>(
    at time: MonotonicTime, _ body: (inout Program, inout Program.Machine) -> Result
  ) -> Result {
    self.time = time
    return body(&program, &machine)
  }

  public mutating func bound(_ socket: SessionSocket, port: UInt16?, at time: MonotonicTime) {
    self.time = time
    machine.bound(socket, port: port, at: time)
  }

  public mutating func connected(_ socket: SessionSocket, at time: MonotonicTime) {
    self.time = time
    machine.connected(socket, at: time)
  }

  public mutating func receive(_ bytes: [UInt8], on socket: SessionSocket, from port: UInt16, at time: MonotonicTime) {
    self.time = time
    machine.receive(bytes, on: socket, from: port, at: time)
  }

  public mutating func writability(of socket: SessionSocket, _ isWritable: Bool, at time: MonotonicTime) {
    self.time = time
    machine.writability(of: socket, isWritable, at: time)
  }

  public mutating func closed(_ socket: SessionSocket, at time: MonotonicTime) {
    self.time = time
    machine.closed(socket, at: time)
  }

  public mutating func stop(_ end: SessionEnd, at time: MonotonicTime) {
    self.time = time
    machine.stop(end, at: time)
  }

  public mutating func signed(_ evidence: AccessoryEvidence?, at time: MonotonicTime) {
    self.time = time
    machine.signed(evidence, at: time)
  }

  public mutating func handleDeadline(at time: MonotonicTime) {
    self.time = time
    if let deadline = machine.nextDeadline, deadline <= time { machine.handleDeadline(at: time) }
    if let deadline = program.nextDeadline, deadline <= time { program.handleDeadline(&machine, at: time) }
  }

  public var nextDeadline: MonotonicTime? { [machine.nextDeadline, program.nextDeadline].compactMap { $0 }.min() }

  public mutating func takeActions(into actions: inout [SessionAction]) {
    actions.removeAll(keepingCapacity: true)
    while true {
      machine.takeActions(into: &taken)
      guard !taken.isEmpty else { return }
      for case .report(let event) in taken { program.handle(event, &machine, at: time) }
      actions += taken
    }
  }
}
