// swift-iap2 · Apache-2.0

package import CarPlayInnerLink
import CarPlaySession
import Synchronization

/// The ``InnerLink`` of a command. It runs from its creation until ``close()``.
package final class LiveInnerLink: Sendable {
  private let link: InnerLink
  private let task: Task<Void, Never>
  private let identified = Mutex<(@Sendable () async -> Void)?>(nil)

  package init(_ link: InnerLink) {
    self.link = link
    task = Task { await link.run() }
  }

  /// Sets the function that is called when the link is identified.
  func whenIdentified(_ body: @escaping @Sendable () async -> Void) { identified.withLock { $0 = body } }

  /// Joins the link with the next session.
  ///
  /// - Parameters:
  ///   - output: The output that shows the events of the link.
  ///   - send: The function that sends bytes in the session. It returns false if the session does not take them.
  func join(_ output: SessionOutput, send: @escaping @Sendable ([UInt8]) async -> Bool) {
    link.sends(send)
    link.reports { [weak self] event in
      output.take(.innerLink(event))
      if event == .identified { await self?.identified.withLock { $0 }?() }
    }
  }

  /// Takes an event of the session.
  func take(_ event: CarPlaySession.SessionEvent) { link.take(event) }

  /// Ends the link. Its session has ended before.
  package func close() async {
    link.finish()
    await task.value
  }
}
