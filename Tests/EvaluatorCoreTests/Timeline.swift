import Model

extension World {
    /// Plays a line of fixes around a zone of 200 m radius and tells what came of each.
    ///
    /// `O` 300 m outside the edge, `o` 15 m outside, `i` 15 m inside, `I` 150 m inside,
    /// `-` a minute without a fix, `|` the end. The answer has a character for each: `.` nothing,
    /// `E` entered, `X` exited, `!` first found inside, `?` first found outside.
    mutating func timeline(_ line: String, accuracy: Double = 10) -> String {
        var answer = ""
        for mark in line {
            let outputs: [Event]
            switch mark {
            case "O": outputs = report(north: 500, accuracy: accuracy)
            case "o": outputs = report(north: 215, accuracy: accuracy)
            case "i": outputs = report(north: 185, accuracy: accuracy)
            case "I": outputs = report(north: 50, accuracy: accuracy)
            case "|": return answer + "|"
            default:
                pass(seconds: 60)
                outputs = []
            }
            answer += outputs.marbles.isEmpty ? (mark == "-" ? "-" : ".") : outputs.marbles
        }
        return answer
    }
}
