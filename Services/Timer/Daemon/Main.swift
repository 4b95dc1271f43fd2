import Glibc
import Hosting

@main
struct Main {
    static func main() {
        exit(Host.run(TimerService.definition) { try TimerService($0) })
    }
}
