// swift-iap2 · Apache-2.0

import IAP2
import IAP2Analysis
import IAP2Roles

extension Replay {
  /// The maximum number of open messages of the recording that are examined for a match.
  private static let reach = 256

  // MARK: Messages

  mutating func receive(message: [UInt8]) {
    report.receivedCount += 1
    let id = ControlHeader.id(of: message)
    guard let index = match(message, id) else {
      var differences: [ReplayDifference] = []
      if let rule = rules.ruleOfWhole(message) {
        report.repeated[rule, default: 0] += 1
      } else if isBehindEnd {
        report.laterCount += 1
      } else {
        differences = [note(.extra, .message(id), nil)]
      }
      report(.received(message: message, step: nil, differences))
      answerAlone(message)
      return
    }
    let step = expectations[index].step
    met(index)
    report.matchedCount += 1
    guard case .message(let recorded) = script.steps[step].content else { return }
    if !expectations[index].isChance { arrivals.append(index) }
    let differences = compare(recorded, message, step)
    rewrite.learn(recorded: recorded, live: message, rules.comparison)
    report(.received(message: message, step: step, differences))
    handleAuthentication(message)
    follow(message, step)
  }

  /// Returns the expectation that a received message matches.
  private func match(_ message: [UInt8], _ id: UInt16) -> Int? {
    let content = CanonicalMessage.bytes(message, rules.comparison)
    func isEqual(_ index: Int) -> Bool {
      guard case .message(let recorded) = script.steps[expectations[index].step].content else { return false }
      return CanonicalMessage.bytes(recorded, rules.comparison) == content
    }
    func isOpen(_ index: Int) -> Bool { expectations[index].state != .met && expectations[index].kind == .message(id) }
    let late = passed.suffix(Self.reach).filter(isOpen)
    let (due, crossing) = horizons
    var sameDue: Int?
    var ahead: (equal: Int?, same: Int?)
    var looked = 0
    for index in messages[firstMessage...] {
      if looked >= Self.reach || (expectations[index].step >= due && sameDue != nil) { break }
      guard expectations[index].state != .met else { continue }
      looked += 1
      guard isOpen(index) else { continue }
      if expectations[index].step < due {
        if isEqual(index) { return late.first(where: isEqual) ?? index }
        sameDue = sameDue ?? index
      } else if isEqual(index) {
        ahead.equal = index
        break
      } else if expectations[index].step < crossing {
        ahead.same = ahead.same ?? index
      }
    }
    return late.first(where: isEqual) ?? sameDue ?? ahead.equal ?? ahead.same ?? late.first
  }

  /// The position in ``messages`` of the first one at or after ``head``.
  private var firstMessage: Int {
    var (low, high) = (0, messages.count)
    while low < high {
      let middle = (low + high) / 2
      if messages[middle] < head { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The script index of the next own step, before which everything is due; and the index of the own step after the
  /// peer's following steps, which may cross it on the way.
  private var horizons: (due: Int, crossing: Int) {
    let due = nextOwnStep
    let steps = script.steps.indices
    let answer = steps.dropFirst(due).first { script.steps[$0].from != script.side } ?? steps.upperBound
    return (due, steps.dropFirst(answer).first { script.steps[$0].from == script.side } ?? steps.upperBound)
  }

  private mutating func compare(_ recorded: [UInt8], _ message: [UInt8], _ step: Int) -> [ReplayDifference] {
    let subject = ReplayDifference.Subject.message(ControlHeader.id(of: message))
    var differences: [ReplayDifference] = []
    if CanonicalMessage.bytes(recorded, rules.comparison) != CanonicalMessage.bytes(message, rules.comparison) {
      let found = MessageComparison(recorded, message, rules.comparison).differences
      differences = found.map { note(.parameter($0), subject, step) }
      if found.isEmpty { differences.append(note(.messageBytes, subject, step)) }
    }
    for (space, before, value) in contradictions(recorded, message) {
      differences.append(note(.identifier(space, recorded: before, live: value), subject, step))
    }
    return differences
  }

  /// Returns the identifiers that identified something else before.
  mutating func contradictions(
    _ recorded: [UInt8], _ message: [UInt8]
  ) -> [(IdentitySpace, ParameterNode.Value, ParameterNode.Value)] {
    let (before, after) = (MessageIdentities(recorded, rules.comparison), MessageIdentities(message, rules.comparison))
    return zip(before.identities, after.identities).compactMap { one, other in
      identityPairs.check(one, other) == .contradiction ? (one.space, one.value, other.value) : nil
    }
  }

  // MARK: EA sessions

  /// Applies the effect of a message of either side on the EA sessions.
  mutating func follow(_ message: [UInt8], _ step: Int) {
    switch ExternalAccessoryChange(message) {
    case .started(let session, _): if let index = script.steps[step].opens { open(index, as: session) }
    case .closed(let session): close(session)
    case .opened, nil: break
    }
  }

  private mutating func open(_ index: Int, as live: UInt16) {
    data.bind(index, to: live)
    act(.openExternalAccessory(session: live, protocol: script.sessions[index].protocolName ?? "", answer: nil))
  }

  /// Closes a session after its recorded data was sent and received: in the recording, data after the close was already
  /// on its way.
  private mutating func close(_ live: UInt16) {
    guard let index = data.index(ofLive: live) else { return act(.closeExternalAccessory(session: live)) }
    data.held.insert(index)
    closeHeld(index)
  }

  mutating func closeHeld(_ index: Int) {
    guard data.held.contains(index), !data.isAwaiting(index), data.isWritten(index), let live = data.live(index) else {
      return
    }
    data.held.remove(index)
    act(.closeExternalAccessory(session: live))
  }

  /// Opens the sessions whose opening the recording lacks.
  mutating func openUnopened() {
    let opened = Set(script.steps.compactMap(\.opens))
    let used = Set(script.steps.compactMap { if case .data(let session, _) = $0.content { session } else { nil } })
    for index in used.subtracting(opened).sorted() { open(index, as: script.sessions[index].id) }
  }

  /// Returns the index in the script of a live EA session.
  package func session(ofLive id: UInt16) -> Int? { data.index(ofLive: id) }

  // MARK: Files

  /// Offers a file of the played side with its recorded id.
  mutating func offer(_ index: Int, _ step: Int) {
    let file = script.files[index]
    if !file.isWhole { report(.note(.incompleteFile(id: file.id))) }
    guard let setup = file.setup, setup.byteCount <= UInt64(ReplayData.maximumFileByteCount) else { return }
    let missing = max(0, Int(setup.byteCount) - file.bytes.count)
    data.ownFiles[file.id] = index
    act(.sendFile(id: file.id, bytes: file.bytes + [UInt8](repeating: 0, count: missing), type: setup.type))
    report.sentCount += 1
    report(.offeredFile(index, step: step))
  }

  mutating func receive(file event: FileInput) {
    switch event {
    case .offered(let id, let setup): offered(id, setup)
    case .data(let id, let bytes, let isLast):
      data.receive(bytes, ofFile: id)
      if isLast { ended(file: id, .success) }
    case .delivered(let id): ended(file: id, .success)
    case .failed(let id): ended(file: id, .failure)
    case .cancelled(let id): ended(file: id, .cancelled)
    }
  }

  private mutating func offered(_ id: UInt8, _ setup: FileTransferSetup) {
    report.receivedCount += 1
    guard let index = files.first, case .file(let number) = expectations[index].kind else {
      report(.receivedFile(id: id, byteCount: Int(clamping: setup.byteCount), step: nil))
      differ(.extra, .file(id), nil)
      return act(.acceptFile(id: id))
    }
    files.removeFirst()
    let step = expectations[index].step
    met(index)
    report.matchedCount += 1
    report(.receivedFile(id: id, byteCount: Int(clamping: setup.byteCount), step: step))
    let recorded = script.files[number]
    if recorded.setup != setup { differ(.fileSetup(recorded: recorded.setup, live: setup), .file(id), step) }
    data.begin(id, ReplayData.PeerFile(index: number, step: step))
    // In the recording, the played side declined the file.
    let isDeclined = recorded.outcome == .cancelled && recorded.bytes.isEmpty
    act(isDeclined ? .cancelFile(id: id) : .acceptFile(id: id))
    if isDeclined { data.end(id) }
  }

  private mutating func ended(file id: UInt8, _ outcome: SessionRecord.File.Outcome) {
    if let index = data.ownFiles.removeValue(forKey: id) {
      let recorded = script.files[index].outcome
      // The recording does not show which side canceled; it may have been the played side.
      guard recorded != outcome, recorded != .open, recorded != .cancelled else { return }
      return differ(.fileOutcome(recorded: recorded, live: outcome), .file(id), step(ofFile: index))
    }
    guard let file = data.end(id) else { return }
    compare(file, id, outcome)
  }

  private func step(ofFile index: Int) -> Int? { script.steps.firstIndex { $0.content == .file(index) } }

  private mutating func compare(_ file: ReplayData.PeerFile, _ id: UInt8, _ outcome: SessionRecord.File.Outcome) {
    let recorded = script.files[file.index]
    // If the capture does not have the end of a file, nothing more can be compared.
    guard recorded.outcome != .open else { return }
    if recorded.outcome != outcome {
      differ(.fileOutcome(recorded: recorded.outcome, live: outcome), .file(id), file.step)
    }
    guard recorded.outcome == .success, outcome == .success else { return }
    let stream = ReplayData.stream(recorded.bytes)
    guard let difference = stream.difference(from: file.stream) else { return }
    differ(
      .fileData(difference, recorded: stream.byteCount, live: file.stream.byteCount), .file(id), file.step)
  }

  // MARK: The end

  /// Reports messages that are out of the recording's order, as few as possible.
  mutating func compareOrder() {
    var inOrder = Set(IncreasingRun.longest(arrivals))
    for index in arrivals where inOrder.insert(index).inserted {
      guard case .message(let id) = expectations[index].kind else { continue }
      differ(.order, .message(id), expectations[index].step)
    }
  }

  /// Compares the data of EA sessions and files as a whole.
  mutating func compareData() {
    for (session, streams) in data.sessions.enumerated() {
      guard let difference = streams.recorded.difference(from: streams.live) else { continue }
      let (recorded, live) = (streams.recorded.byteCount, streams.live.byteCount)
      // The recording does not show what follows its end.
      if !script.hasEnd, difference.offset == recorded { continue }
      differ(
        .data(difference, recorded: recorded, live: live), .externalAccessory(session), streams.step)
    }
    for (id, file) in data.filesUnderWay { compare(file, id, .open) }
  }
}

/// The data of the peer, next to that of the recording.
struct ReplayData: Sendable {
  struct Session: Sendable {
    var recorded = DataStream()
    var live = DataStream()
    /// The script index of the first step with data of the peer.
    var step: Int?
    /// The number of steps with data of the played side that were not sent yet.
    var unsentCount = 0
  }

  struct PeerFile: Sendable {
    var index: Int
    var step: Int
    var stream = DataStream()
  }

  private(set) var sessions: [Session]
  private var liveOf: [Int: UInt16] = [:]
  private var indexOf: [UInt16: Int] = [:]
  private var files: [UInt8: PeerFile] = [:]
  /// The index of the session that is being written to.
  var writing: Int?
  /// The sessions to close once all their data was sent and received.
  var held: Set<Int> = []
  /// The files that the played side offered and whose end was not reported yet.
  var ownFiles: [UInt8: Int] = [:]

  /// The maximum of live data that is kept unchanged.
  private var budget = 32 << 20
  /// The maximum length of a file to send. The announced length of a recorded file may be arbitrary.
  static let maximumFileByteCount = 64 << 20

  init(_ script: ReplayScript) {
    sessions = script.sessions.map { _ in Session() }
    var budget = 32 << 20
    for (number, step) in script.steps.enumerated() {
      guard case .data(let session, let bytes) = step.content else { continue }
      guard step.from != script.side else {
        sessions[session].unsentCount += 1
        continue
      }
      sessions[session].recorded.append(bytes.rawBytes, after: 0, time: nil, budget: &budget)
      sessions[session].step = sessions[session].step ?? number
    }
  }

  static func stream(_ bytes: [UInt8]) -> DataStream {
    var stream = DataStream()
    var budget = DataStream.maximumHeadByteCount
    stream.append(bytes.rawBytes, after: 0, time: nil, budget: &budget)
    return stream
  }

  mutating func bind(_ index: Int, to live: UInt16) {
    liveOf[index] = live
    indexOf[live] = index
  }

  func live(_ index: Int) -> UInt16? { liveOf[index] }
  func index(ofLive id: UInt16) -> Int? { indexOf[id] }
  mutating func beginWriting(_ session: Int) {
    writing = session
    sessions[session].unsentCount -= 1
  }

  func isWritten(_ session: Int) -> Bool { sessions[session].unsentCount == 0 && writing != session }

  /// Returns whether the recording has more bytes of the session than were received.
  func isAwaiting(_ session: Int) -> Bool { sessions[session].live.byteCount < sessions[session].recorded.byteCount }
  func receivedByteCount(_ session: Int) -> Int { sessions[session].live.byteCount }

  mutating func receive(_ bytes: [UInt8], in session: Int) {
    guard sessions.indices.contains(session) else { return }
    sessions[session].live.append(bytes.rawBytes, after: 0, time: nil, budget: &budget)
  }

  mutating func begin(_ id: UInt8, _ file: PeerFile) { files[id] = file }

  mutating func receive(_ bytes: [UInt8], ofFile id: UInt8) {
    files[id]?.stream.append(bytes.rawBytes, after: 0, time: nil, budget: &budget)
  }

  @discardableResult
  mutating func end(_ id: UInt8) -> PeerFile? { files.removeValue(forKey: id) }

  var filesUnderWay: [(id: UInt8, file: PeerFile)] { files.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
  var hasFilesUnderWay: Bool { !files.isEmpty || !ownFiles.isEmpty }
}

/// The longest increasing subsequence of numbers (patience sorting).
enum IncreasingRun {
  static func longest(_ numbers: [Int]) -> [Int] {
    /// For each length: the index at which the run with the smallest end ends.
    var ends: [Int] = []
    var before = [Int?](repeating: nil, count: numbers.count)
    for (index, number) in numbers.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
      }
      before[index] = low > 0 ? ends[low - 1] : nil
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var run: [Int] = []
    var next = ends.last
    while let index = next {
      run.append(numbers[index])
      next = before[index]
    }
    return run.reversed()
  }
}
