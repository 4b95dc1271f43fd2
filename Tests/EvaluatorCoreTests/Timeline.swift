import Model

extension World {
    /// Runs a line of fixes around a zone of 200 m radius and returns the results.
    ///
    /// `O` 300 m outside the edge, `n` 90 m outside, `o` 15 m outside, `i` 15 m inside, `I` 150 m
    /// inside, `-` a minute without a fix in which deadlines expire, `|` the end. Each fix reports
    /// the speed of a run. The result has a marble for each event, `.` or `-` for none.
    mutating func timeline(_ line: String, accuracy: Double = 10) -> String {
        var answer = ""
        for mark in line {
            let outputs: [Event]
            switch mark {
            case "O": outputs = report(north: 500, accuracy: accuracy, speed: 3)
            case "n": outputs = report(north: 290, accuracy: accuracy, speed: 3)
            case "o": outputs = report(north: 215, accuracy: accuracy, speed: 3)
            case "i": outputs = report(north: 185, accuracy: accuracy, speed: 3)
            case "I": outputs = report(north: 50, accuracy: accuracy, speed: 3)
            case "|": return answer + "|"
            default: outputs = wait(seconds: 60)
            }
            answer += outputs.marbles.isEmpty ? (mark == "-" ? "-" : ".") : outputs.marbles
        }
        return answer
    }
}
