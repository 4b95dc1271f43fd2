#include "csimdjson.h"

#include <simdjson.h>

#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

namespace {

using simdjson::error_code;
using simdjson::SUCCESS;
namespace ondemand = simdjson::ondemand;

// What a thread keeps from text to text, so that parsing does not allocate each time.
struct Workshop {
    ondemand::parser parser;
    std::vector<uint8_t> padded;
    std::vector<csimdjson_token> tokens;
};

Workshop &workshop() {
    static thread_local Workshop mine;
    return mine;
}

csimdjson_token token(csimdjson_kind kind) {
    return csimdjson_token{static_cast<uint32_t>(kind), 0, 0, 0, nullptr};
}

csimdjson_token token(std::string_view text) {
    csimdjson_token made = token(CSIMDJSON_STRING);
    made.length = static_cast<uint32_t>(text.size());
    made.text = reinterpret_cast<const uint8_t *>(text.data());
    return made;
}

// Writes down the values of a text, each before those within it.
class Walk {
public:
    Walk(std::vector<csimdjson_token> &tokens, size_t depth_max, size_t values_max)
        : tokens(tokens), depth_max(depth_max), values_left(values_max) {}

    // Whether there were more values than allowed.
    bool is_over() const { return over; }

    error_code value(ondemand::value value, size_t depth) {
        if (__builtin_expect(values_left == 0, 0)) {
            over = true;
            return simdjson::CAPACITY;
        }
        values_left -= 1;
        ondemand::json_type type;
        if (error_code error = value.type().get(type)) return error;
        switch (type) {
        case ondemand::json_type::array: return array(value, depth + 1);
        case ondemand::json_type::object: return object(value, depth + 1);
        case ondemand::json_type::number: return number(value);
        case ondemand::json_type::string: return string(value);
        case ondemand::json_type::boolean: return boolean(value);
        case ondemand::json_type::null: return null(value);
        }
        return simdjson::TAPE_ERROR;
    }

private:
    std::vector<csimdjson_token> &tokens;
    const size_t depth_max;
    size_t values_left;
    bool over = false;

    error_code array(ondemand::value &value, size_t depth) {
        if (depth > depth_max) return simdjson::DEPTH_ERROR;
        ondemand::array array;
        if (error_code error = value.get_array().get(array)) return error;
        const size_t start = tokens.size();
        uint32_t count = 0;
        tokens.push_back(token(CSIMDJSON_ARRAY));
        for (auto element : array) {
            ondemand::value inner;
            if (error_code error = element.get(inner)) return error;
            if (error_code error = this->value(inner, depth)) return error;
            count += 1;
        }
        tokens[start].length = count;
        tokens[start].integer = static_cast<int64_t>(tokens.size() - start);
        return SUCCESS;
    }

    error_code object(ondemand::value &value, size_t depth) {
        if (depth > depth_max) return simdjson::DEPTH_ERROR;
        ondemand::object object;
        if (error_code error = value.get_object().get(object)) return error;
        const size_t start = tokens.size();
        uint32_t count = 0;
        tokens.push_back(token(CSIMDJSON_OBJECT));
        for (auto result : object) {
            ondemand::field field;
            if (error_code error = std::move(result).get(field)) return error;
            std::string_view key;
            if (error_code error = field.unescaped_key().get(key)) return error;
            tokens.push_back(token(key));
            if (error_code error = this->value(field.value(), depth)) return error;
            count += 1;
        }
        tokens[start].length = count;
        tokens[start].integer = static_cast<int64_t>(tokens.size() - start);
        return SUCCESS;
    }

    // Whole numbers of 64 bits with sign stay whole; all others, however long, become the double
    // next to them.
    error_code number(ondemand::value &value) {
        ondemand::number number;
        const error_code error = value.get_number().get(number);
        csimdjson_token made = token(CSIMDJSON_NUMBER);
        if (error) {
            if (error_code inexact = value.get_double().get(made.number)) return inexact;
        } else if (number.is_int64()) {
            made.kind = CSIMDJSON_INTEGER;
            made.integer = number.get_int64();
        } else {
            made.number = number.as_double();
        }
        tokens.push_back(made);
        return SUCCESS;
    }

    error_code string(ondemand::value &value) {
        std::string_view text;
        if (error_code error = value.get_string().get(text)) return error;
        tokens.push_back(token(text));
        return SUCCESS;
    }

    error_code boolean(ondemand::value &value) {
        bool truth;
        if (error_code error = value.get_bool().get(truth)) return error;
        tokens.push_back(token(truth ? CSIMDJSON_TRUE : CSIMDJSON_FALSE));
        return SUCCESS;
    }

    error_code null(ondemand::value &value) {
        bool is_null = false;
        if (error_code error = value.is_null().get(is_null)) return error;
        if (!is_null) return simdjson::N_ATOM_ERROR;
        tokens.push_back(token(CSIMDJSON_NULL));
        return SUCCESS;
    }
};

csimdjson_result failure(error_code error, int64_t offset) {
    return csimdjson_result{nullptr, 0, simdjson::error_message(error), offset, false};
}

// Reads the array with one value that the padded text has been made.
error_code read(ondemand::document &document, Walk &walk) {
    ondemand::array frame;
    if (error_code error = document.get_array().get(frame)) return error;
    size_t count = 0;
    for (auto element : frame) {
        ondemand::value value;
        if (error_code error = element.get(value)) return error;
        if (++count > 1) return simdjson::TRAILING_CONTENT;
        if (error_code error = walk.value(value, 0)) return error;
    }
    return count == 0 ? simdjson::EMPTY : SUCCESS;
}

} // namespace

csimdjson_result csimdjson_parse(
    const uint8_t *bytes, size_t length, size_t depth_max, size_t values_max) {
    Workshop &mine = workshop();
    if (length > std::numeric_limits<uint32_t>::max() - 2 - simdjson::SIMDJSON_PADDING) {
        return failure(simdjson::CAPACITY, -1);
    }
    mine.tokens.clear();
    // Put between brackets, a bare value is read like any other: simdjson 3.0 takes `nulls` for
    // `null` where it is the whole text. The padding is there as simdjson reads beyond the end.
    mine.padded.resize(length + 2 + simdjson::SIMDJSON_PADDING);
    mine.padded[0] = '[';
    if (length > 0) std::memcpy(mine.padded.data() + 1, bytes, length);
    mine.padded[length + 1] = ']';
    std::memset(mine.padded.data() + length + 2, ' ', simdjson::SIMDJSON_PADDING);

    ondemand::document document;
    error_code error =
        mine.parser.iterate(mine.padded.data(), length + 2, mine.padded.size()).get(document);
    if (error) return failure(error, -1);
    Walk walk(mine.tokens, depth_max, values_max);
    error = read(document, walk);
    // After the last bracket there must be nothing more to point at.
    const char *place = nullptr;
    const bool known = document.current_location().get(place) == SUCCESS;
    if (!error && known) error = simdjson::TRAILING_CONTENT;
    if (error) {
        const char *start = reinterpret_cast<const char *>(mine.padded.data()) + 1;
        csimdjson_result result = failure(error, known && place >= start ? place - start : -1);
        result.is_over = walk.is_over();
        return result;
    }
    return csimdjson_result{mine.tokens.data(), mine.tokens.size(), nullptr, -1, false};
}
