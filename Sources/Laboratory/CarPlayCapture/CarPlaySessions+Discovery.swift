// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2Capture

// Bonjour and control requests.
extension CarPlaySessions {
  /// Takes a message of Bonjour. It is reported with the newest session, or the first one to come. What a sender repeats
  /// is reported once.
  mutating func takeBonjour(_ bytes: [UInt8], from source: [UInt8], at moment: CaptureMoment) {
    guard let message = BonjourMessage(bytes) else { return }
    discovery.take(message, from: source, at: moment)
    for (side, finding) in message.findings {
      guard discovery.told.count < DiscoveryStory.maximumTold,
        discovery.told.insert(.init(source: source, finding: finding)).inserted
      else {
        continue
      }
      add(finding.layer, finding.text, finding.fields, body: finding.body, max(0, sessions.count - 1), side, moment)
    }
  }

  /// Takes bytes of a control request or of its answer. They are reported with the session to come, or with the one
  /// that is active.
  mutating func take(_ bytes: [UInt8], ofCall call: Int, isClient: Bool, at moment: CaptureMoment) {
    guard !discovery.calls[call].cut.contains(isClient ? .headUnit : .phone) else { return }
    let session = sessions.last?.isOver == false ? sessions.count - 1 : sessions.count
    if isClient {
      guard discovery.calls[call].request == nil else { return }
      discovery.calls[call].requests.add(bytes)
      do throws(RequestReader.Problem) {
        guard let message = try discovery.calls[call].requests.next() else { return }
        do throws(ControlCall.Refusal) {
          discovery.calls[call].request = .success(try ControlCall(message))
        } catch { discovery.calls[call].request = .failure(error) }
        report(message, to: message, session, .headUnit, at: moment)
      } catch { discovery.calls[call].request = .failure(.malformed(error)) }
      discovery.calls[call].moment = moment
    } else {
      guard discovery.calls[call].answer == nil else { return }
      discovery.calls[call].answers.add(bytes)
      do throws(RequestReader.Problem) {
        while let message = try discovery.calls[call].answers.next() {
          report(message, to: nil, session, .phone, at: moment)
          // An interim answer says nothing yet.
          guard case .answer(let status, _, _) = message.start, status >= 200 else { continue }
          discovery.calls[call].answer = (status, moment)
          return
        }
      } catch {
        // Bytes that are no answer count as none.
      }
    }
  }

  private mutating func report(
    _ message: RequestMessage, to request: RequestMessage?, _ session: Int, _ side: SessionSide,
    at moment: CaptureMoment
  ) {
    switch message.start {
    case .request(let method, let path, _):
      add(.request, "\(method) \(path)", Self.fields(of: message, to: request, isControl: nil), session, side, moment)
    case .answer(let status, let reason, _):
      let words = "\(status)\(reason.isEmpty ? "" : " \(reason)") to the control request"
      add(.answer, words, Self.fields(of: message, to: nil, isControl: nil), session, side, moment)
    }
  }

  /// Explains discovery that no session followed.
  mutating func explainDiscovery(at moment: CaptureMoment) {
    let explanations = discovery.explanations(hasSessions: !sessions.isEmpty, at: moment)
    for (index, explanation) in explanations.enumerated() { add(explanation, sessions.count + index, moment) }
  }

  mutating func beginStory(of session: Int, _ connection: Connection) {
    sessions[session].story = SessionStory(
      "phone \(TCPEndpoints.text(connection.client)), head unit \(TCPEndpoints.text(connection.server))",
      isWhole: connection.hasBeginning, textRecord: discovery.headUnits[sessions[session].headUnit]?.values)
    let (phone, headUnit) = (sessions[session].phone, sessions[session].headUnit)
    for earlier in sessions.indices.dropLast()
    where (sessions[earlier].phone, sessions[earlier].headUnit) == (phone, headUnit) {
      sessions[earlier].story?.replacement = connection.began
    }
    let steps = discovery.steps(before: connection.began, phone: phone, headUnit: headUnit)
    sessions[session].story?.discovery = steps
  }
}
