import Glibc
import Testing

@testable import Hosting

@Suite struct `A service started without standard descriptors` {
    @Test func `opens them, and no other file in their place`() async {
        await #expect(processExitsWith: .success) {
            for descriptor in Int32(0)...2 { close(descriptor) }
            guard
                Launcher.run(Stage.definition, arguments: ["--version"], make: { _ in exit(1) })
                    == 0
            else { exit(2) }
            exit(open("/", O_RDONLY) > 2 ? EXIT_SUCCESS : 3)
        }
    }
}
