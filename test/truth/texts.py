"""What a text shows: turns, tool calls, answers and endings, by the rules of shared/domain/DOMAIN.md."""

import json
import re

OPEN_CALL, CLOSE_CALL = '<tool_call>', '</tool_call>'
RESPONSE = re.compile(r'<tool_response>(.*?)</tool_response>', re.S)
NUMBER = re.compile(r'####\s*(-?)\$?\s*(-?(?:\d[\d,]*(?:\.\d+)?|\.\d+))')
CLOSED_CALL = re.compile(r'<tool_call>(?:(?!<tool_call>).)*?</tool_call>', re.S)


def boxed(text):
    """The content of the last \\boxed{…} whose braces balance, or None."""
    start = len(text)
    while (start := text.rfind('\\boxed{', 0, start)) >= 0:
        depth = 0
        for at in range(start + 6, len(text)):
            depth += {'{': 1, '}': -1}.get(text[at], 0)
            if depth == 0:
                return text[start + 7 : at].strip() or None
    return None


def answer_of(text):
    """The answer that a policy's own text gives: DOMAIN.md, "Answers and correctness"."""
    tags = re.findall(r'<answer>((?:(?!<answer>).)*?)</answer>', text, re.S)
    if tags:
        return boxed(tags[-1]) or tags[-1].strip() or None
    box = boxed(text)
    if box is not None:
        return box
    numbers = NUMBER.findall(text)
    return ''.join(numbers[-1]).replace(',', '') if numbers else None


def normal(answer):
    """Writing that makes no difference: white space, dollars, per cent, commas, trailing zeros, fractions."""
    text = re.sub(r'\s+', '', str(answer)).replace('\\$', '').replace('$', '').replace('\\!', '')
    text = re.sub(r'\\?%|\^\{?\\circ\}?', '', text)
    text = re.sub(r'\\[dt]?frac\{?(-?\d+)\}?\{?(\d+)\}?', r'\1/\2', text)
    text = re.sub(r'(?<=\d),(?=\d{3})', '', text).rstrip('.')
    if re.fullmatch(r'-?\d*\.\d+', text):
        text = text.rstrip('0').rstrip('.')
    return text


def is_call(payload):
    """Whether the payload is a JSON object with a name."""
    try:
        value = json.loads(payload)
    except ValueError:
        return False
    return isinstance(value, dict) and isinstance(value.get('name'), str) and value['name'] != ''


def is_error(response):
    """A tool without a status line failed if its response is a traceback or an error message alone."""
    text = response.strip()
    return text.startswith('Traceback (most recent call last)') or bool(re.match(r'(?i)error\b\s*[:,-]', text))


def bare_blocks(text):
    """Turns of a dump without special tokens, as (who, text): DOMAIN.md, "Transcripts".

    A line `user` opens a block if a tool response follows, or if a line `assistant` closes it with no
    tool call between.
    """
    blocks, at, policy = [], 0, 0
    for match in re.finditer(r'(?:^|(?<=\n)|(?<=</tool_call>))user\n', text):
        if match.start() < at:
            continue
        inside = match.end()
        answered = text[inside:].lstrip().startswith('<tool_response>')
        closing = re.search(r'(?:^|\n)assistant(?:\n|$)', text[inside:])
        if not answered and (closing is None or OPEN_CALL in text[inside : inside + closing.start()]):
            continue
        blocks.append(('policy', text[policy : match.start()]))
        end = len(text) if closing is None else inside + closing.start()
        blocks.append(('user', text[inside:end]))
        at = policy = len(text) if closing is None else inside + closing.end()
    blocks.append(('policy', text[policy:]))
    return blocks


def calls_of(turn):
    """The payloads of a turn, None where the tag is never closed."""
    found = []
    for part in turn.split(OPEN_CALL)[1:]:
        found.append(part.split(CLOSE_CALL)[0].strip() if CLOSE_CALL in part else None)
    return found


def transcript(text):
    """Facts of a dump that is one string: DOMAIN.md, "Tool-call outcomes" and "How a rollout ends"."""
    blocks = bare_blocks(text)
    if blocks[-1] == ('policy', '') and len(blocks) > 1 and not text.endswith('assistant\n'):
        blocks.pop()
    tool_calls = errors = malformed = 0
    for at, (who, turn) in enumerate(blocks):
        if who != 'policy':
            # Every opened tag is a call, also one that the policy wrote behind an invented response.
            malformed += len(calls_of(turn))
            continue
        after = blocks[at + 1][1] if at + 1 < len(blocks) else ''
        responses = RESPONSE.findall(after) if after.lstrip().startswith('<tool_response>') else []
        payloads = calls_of(turn)
        good = [payload for payload in payloads if payload is not None and is_call(payload)]
        bad = len(payloads) - len(good)
        # A response beyond the well-formed calls answers a malformed one, which then is a call.
        answered = min(bad, max(0, len(responses) - len(good)))
        tool_calls += len(good) + answered
        malformed += bad - answered
        errors += sum(
            r.strip().startswith(('Failed to decode tool call', 'Error when executing tool')) or is_error(r)
            for r in responses
        )
    policy = [turn for who, turn in blocks if who == 'policy']
    last = policy[-1] if blocks[-1][0] == 'policy' else ''
    payloads = calls_of(last)
    ends_in_call = bool(payloads) and last.rstrip().endswith(CLOSE_CALL) and is_call(payloads[-1] or '')
    answer = answer_of('\n'.join(strip_calls(turn) for turn in policy))
    return {
        'turns': len(policy),
        'tool_calls': tool_calls,
        'tool_errors': errors,
        'malformed_calls': malformed,
        'answer': answer,
        'stop_reason': ending(answer, answer_of(last_words(last)), ends_in_call),
    }


def last_words(turn):
    """The end of a turn, where an answer is why it ended. An answer between tags may be longer."""
    ends = turn[-1000:]
    return strip_calls(turn if '</answer>' in ends else ends)


def strip_calls(turn):
    """A turn without the payloads of its calls. What follows a stray tag is the policy's text."""
    text = CLOSED_CALL.sub('', turn)
    kept = text.split(OPEN_CALL)
    return '\n'.join([kept[0], *map(after_json, kept[1:])])


def after_json(text):
    """The text without the JSON value that it begins with, if any."""
    start = len(text) - len(text.lstrip())
    try:
        return text[json.JSONDecoder().raw_decode(text, start)[1] :]
    except ValueError:
        return text


def ending(answer, last_words_answer, ends_in_call):
    """The class that the text shows, or None where the rollout ran on after its answer."""
    if ends_in_call:
        return 'turn-limit'
    if answer is None:
        return 'no-answer'
    return 'answer' if last_words_answer is not None else None
