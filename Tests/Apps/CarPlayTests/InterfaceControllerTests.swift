// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform
import CarSupport
import Testing

@MainActor
struct InterfaceControllerTests {
  @Test("Without a completion, the form of two parameters is called and asks without a completion")
  func twoParameterForms() {
    RecordingSystem.use { system in
      let controller = CPInterfaceController.sample
      let root = CPListTemplate(title: "Root", sections: [])
      controller.setRootTemplate(root, animated: false)
      controller.pushTemplate(CPListTemplate(title: "1", sections: []), animated: true)
      controller.popTemplate(animated: true)
      controller.presentTemplate(CPAlertTemplate(titleVariants: ["!"], actions: []), animated: true)
      controller.dismissTemplate(animated: true)
      controller.pop(to: root, animated: true)
      controller.popToRootTemplate(animated: false)
      #expect(
        system.requests == [
          "setRoot, animated: false, completion: false", "push, animated: true, completion: false",
          "pop, animated: true, completion: false", "present, animated: true, completion: false",
          "dismiss, animated: true, completion: false", "popTo, animated: true, completion: false",
          "popToRoot, animated: false, completion: false",
        ])
    }
  }

  @Test("A completion of nil asks without a completion, as in the real framework")
  func nilCompletion() {
    RecordingSystem.use { system in
      CPInterfaceController.sample.setRootTemplate(
        CPListTemplate(title: nil, sections: []), animated: true, completion: nil)
      #expect(system.requests == ["setRoot, animated: true, completion: false"])
    }
  }

  @Test("A completion receives the success or the error of its request")
  func completions() {
    RecordingSystem.use { system in
      let controller = CPInterfaceController.sample
      var results: [Bool] = []
      var errors: [NSError] = []
      let completion: (Bool, (any Error)?) -> Void = { succeeded, error in
        results.append(succeeded)
        if let error { errors.append(error as NSError) }
      }
      let root = CPListTemplate(title: "Root", sections: [])
      controller.setRootTemplate(root, animated: false, completion: completion)
      controller.pushTemplate(CPListTemplate(title: "1", sections: []), animated: false, completion: completion)
      controller.presentTemplate(
        CPAlertTemplate(titleVariants: [], actions: []), animated: false, completion: completion)
      controller.dismissTemplate(animated: false, completion: completion)
      controller.pop(to: root, animated: false, completion: completion)
      system.refusal = TemplateError.nothingToPop.nsError
      controller.popTemplate(animated: false, completion: completion)
      controller.popToRootTemplate(animated: false, completion: completion)
      #expect(results == [true, true, true, true, true, false, false])
      #expect(errors.map(\.localizedDescription).allSatisfy { $0 == "No templates were available to be popped." })
      #expect(errors.map(\.domain) == [CarPlayErrorDomain, CarPlayErrorDomain])
      #expect(errors.map(\.code) == [-1, -1])
    }
  }

  @Test("With await, each call is the asynchronous form and returns the success", .onlyCar)
  func asynchronousForms() async throws {
    try await RecordingSystem.useWhileWaiting { system in
      let controller = CPInterfaceController.sample
      let root = CPListTemplate(title: "Root", sections: [])
      #expect(try await controller.setRootTemplate(root, animated: false))
      #expect(try await controller.pushTemplate(CPListTemplate(title: "1", sections: []), animated: false))
      #expect(try await controller.popTemplate(animated: false))
      #expect(try await controller.presentTemplate(CPAlertTemplate(titleVariants: [], actions: []), animated: false))
      #expect(try await controller.dismissTemplate(animated: false))
      try await controller.pop(to: root, animated: false)
      try await controller.popToRootTemplate(animated: false)
      #expect(system.requests.count == 7)
      #expect(system.requests.allSatisfy { $0.hasSuffix("completion: true") })
    }
  }

  @Test("The asynchronous form throws the error of its request", .onlyCar)
  func asynchronousError() async {
    await RecordingSystem.useWhileWaiting { system in
      system.refusal = TemplateError.nothingToPop.nsError
      let controller = CPInterfaceController.sample
      await #expect(throws: TemplateError.nothingToPop.nsError) { try await controller.popTemplate(animated: true) }
    }
  }

  @Test("The templates of a controller are those of the system")
  func state() throws {
    RecordingSystem.use { _ in
      let controller = CPInterfaceController.sample
      let root = CPListTemplate(title: "Root", sections: [])
      let top = CPGridTemplate(title: "Top", gridButtons: [])
      let alert = CPAlertTemplate(titleVariants: [], actions: [])
      controller.setRootTemplate(root, animated: false)
      controller.pushTemplate(top, animated: false)
      controller.presentTemplate(alert, animated: false)
      #expect(controller.templates == [root, top])
      #expect(controller.rootTemplate === root)
      #expect(controller.topTemplate === top)
      #expect(controller.presentedTemplate === alert)
    }
  }

  @Test("Before the app sets a root, a controller has an empty root template and no other")
  func noRoot() {
    RecordingSystem.use { _ in
      let controller = CPInterfaceController.sample
      #expect(controller.templates.isEmpty)
      #expect(controller.topTemplate == nil)
      #expect(controller.presentedTemplate == nil)
      #expect(type(of: controller.rootTemplate) == CPTemplate.self)
    }
  }

  @Test("Without a car, templates can be made and every request is refused with an error")
  func noCar() {
    var error: NSError?
    var succeeded: Bool?
    let list = CPListTemplate(title: "List", sections: [])
    NoCar.shared.perform(.push(list), of: CPInterfaceController.sample, animated: true) {
      succeeded = $0
      error = $1 as NSError?
    }
    #expect(succeeded == false)
    #expect(error?.domain == CarPlayErrorDomain)
    #expect(NoCar.shared.state(of: CPInterfaceController.sample).templates.isEmpty)
  }
}
