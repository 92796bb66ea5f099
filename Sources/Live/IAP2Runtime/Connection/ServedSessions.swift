// swift-iap2 · Apache-2.0

/// Runs a body for each session that is opened while a connection lives.
struct ServedSessions {
  private let opened: AsyncStream<ExternalAccessoryStream>
  private let openings: AsyncStream<ExternalAccessoryStream>.Continuation

  init() { (opened, openings) = AsyncStream.makeStream() }

  func add(_ session: ExternalAccessoryStream) { openings.yield(session) }

  func serve(
    _ services: [String: @Sendable (ExternalAccessoryStream) async -> Void],
    _ life: @escaping @Sendable () async -> Void
  ) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await withDiscardingTaskGroup { bodies in
          for await session in opened {
            bodies.addTask {
              if let body = services[session.protocolName] {
                await body(session)
              } else {
                while await session.read() != nil {}
              }
              await session.close()
            }
          }
        }
      }
      await life()
      openings.finish()
      await group.waitForAll()
    }
  }
}
