"""Expected facts of each record of the real logs, by shared/format/FORMATS.md.

A reader takes a path and returns records in the order of the file: dicts of the fields that the record
tells. A field that is missing is not compared; None has to be NULL. `problem` is any value that is equal
for rollouts of one problem; `problem_id` is compared only where the log names the problem.
"""

import json
import re
import zipfile

from texts import answer_of, ending, is_call, is_error, normal, transcript

NO_TEXT = {'tool_calls': None, 'tool_errors': None, 'malformed_calls': None, 'answer': None, 'stop_reason': None}


class Unreadable(Exception):
    """The standard library cannot open the file."""


def lines_of(path):
    with open(path, encoding='utf-8') as file:
        return [(number, json.loads(line)) for number, line in enumerate(file, 1) if line.strip()]


def whole(path):
    with open(path, encoding='utf-8') as file:
        return json.load(file)


def numbered(records):
    return [dict(record, line=number) for number, record in enumerate(records, 1)]


def canonical(value):
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def text_of(content):
    """The text of a message, without reasoning that is withheld."""
    if content is None:
        return ''
    if isinstance(content, str):
        return content
    return '\n'.join(part.get('text') or '' for part in content if part.get('type') in ('text', 'output_text'))


def verl(path):
    return [
        {
            'line': number,
            # Validation: `reward` is the sum of the reward tensor; training: `score`.
            'reward': row.get('reward', row['score']),
            'problem': (row['input'], row.get('gts')),
            'stop_reason_logged': None,
            **transcript(row['output']),
        }
        for number, row in lines_of(path)
    ]


def payload(call):
    """The payload of an OpenAI tool call as an object with a name, or None."""
    call = json.loads(call) if isinstance(call, str) else call
    function = call.get('function', call)
    function = {'name': function, 'arguments': call.get('arguments')} if isinstance(function, str) else function
    arguments = function.get('arguments')
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return None
    return {'name': function.get('name'), 'arguments': arguments}


def conversation(messages, is_marked=True):
    """Facts of a list of messages that begins after the prompt.

    :param is_marked: whether the producer asks for a marked answer; only then no answer is a finding
    """
    turns = calls = malformed = errors = 0
    words, last_words, pending = [], [], 0
    for message in messages:
        role = message['role']
        if role == 'assistant':
            turns += 1
            words.append(text_of(message.get('content')))
            last_words.append(words[-1])
            pending = 0
            for call in message.get('tool_calls') or []:
                good = payload(call)
                pending += 1
                if good is None or not is_call(canonical(good)):
                    malformed += 1
                else:
                    calls += 1
        else:
            last_words, pending = [], 0
            errors += role == 'tool' and is_error(text_of(message.get('content')))
    answer = answer_of('\n'.join(words))
    stop = ending(answer, answer_of('\n'.join(last_words)), pending > 0)
    return {
        'turns': turns,
        'tool_calls': calls,
        'tool_errors': errors,
        'malformed_calls': malformed,
        'answer': answer,
        'stop_reason': None if stop == 'no-answer' and not is_marked else stop,
    }


def after_prompt(messages):
    """The messages from the first of the policy on."""
    first = next((at for at, message in enumerate(messages) if message['role'] == 'assistant'), len(messages))
    return messages[:first], messages[first:]


def tau_bench(path):
    records = []
    for trial in whole(path):
        facts = conversation(after_prompt(trial['traj'])[1], is_marked=False)
        last = trial['traj'][-1]
        is_done = trial['info'].get('reward_info') is not None
        has_mark = last['role'] == 'user' and '###STOP###' in text_of(last.get('content'))
        if not is_done:
            facts['stop_reason'] = 'turn-limit'
        records.append(
            {
                'reward': trial['reward'],
                'problem': trial['task_id'],
                'problem_id': str(trial['task_id']),
                'ordinal': trial['trial'],
                'stop_reason_logged': '###STOP###' if is_done and has_mark else None,
                **facts,
            }
        )
    return numbered(records)


def tau2_bench(path):
    records = []
    for simulation in whole(path)['simulations']:
        messages = [m for m in simulation['messages']]
        policy = []
        for message in messages:
            # Tools of the simulated user, and their results, are the user's.
            own = message['role'] == 'assistant' or (
                message['role'] == 'tool' and message.get('requestor') != 'user'
            )
            policy.append(message if own else {'role': 'user', 'content': message.get('content')})
        facts = conversation(after_prompt(policy)[1], is_marked=False)
        facts['tool_errors'] = sum(
            m['role'] == 'tool' and m.get('requestor') != 'user' and bool(m.get('error')) for m in messages
        )
        records.append(
            {
                'reward': simulation['reward_info']['reward'],
                'problem': simulation['task_id'],
                'problem_id': simulation['task_id'],
                'ordinal': simulation['trial'],
                'duration': simulation['duration'],
                'stop_reason_logged': simulation['termination_reason'],
                **facts,
            }
        )
    return records


def nemo_gym(path):
    records = []
    for number, row in lines_of(path):
        turns, tool_calls, malformed, errors = 0, 0, 0, 0
        words, last_words, ends_in_call = [], [], False
        answered = {o.get('call_id') for o in row['response']['output'] if o['type'] == 'function_call_output'}
        rank, order = None, {'reasoning': 0, 'message': 1, 'function_call': 2}
        for item in row['response']['output']:
            kind = item['type']
            if kind == 'function_call_output':
                rank, ends_in_call, last_words = None, False, []
                errors += output_failed(item['output'])
                continue
            # Without outputs, a step back in the order begins the next turn.
            if rank is None or (not answered and order[kind] < rank):
                turns += 1
            rank = order[kind]
            if kind == 'function_call':
                good = is_call(json.dumps({'name': item['name']})) and is_json(item['arguments'])
                tool_calls += good or item['call_id'] in answered
                malformed += not (good or item['call_id'] in answered)
                ends_in_call = item['call_id'] not in answered
            elif kind == 'message':
                words.append(text_of(item['content']))
                last_words.append(words[-1])
                ends_in_call = False
        record = {
            'line': number,
            'reward': row['reward'],
            'turns': turns,
            'tool_calls': tool_calls,
            'tool_errors': errors,
            'malformed_calls': malformed,
        }
        logged = row.get('extracted_answer')
        answer = answer_of('\n'.join(words)) if logged is None else logged
        last = answer_of('\n'.join(last_words)) if logged is None else ('\n'.join(last_words) or None)
        record['answer'] = answer
        stop = ending(answer, last, ends_in_call)
        record['stop_reason'] = None if stop == 'no-answer' else stop
        record['stop_reason_logged'] = 'truncated' if row.get('truncated') else None
        if '_ng_task_index' in row:
            record['problem'] = row['_ng_task_index']
            record['problem_id'] = str(row['_ng_task_index'])
            record['ordinal'] = row['_ng_rollout_index']
        else:
            record['problem'] = canonical(row['responses_create_params']['input'])
        if 'accuracy' in row:
            record['is_correct'] = row['accuracy']
        if 'num_agent_messages' in row:
            record['turns'] = row['num_agent_messages']
        records.append(record)
    return records


def is_json(text):
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def output_failed(output):
    """The outcome of JSON of Python tools is read by its fields."""
    try:
        value = json.loads(output)
    except ValueError:
        return is_error(output)
    if isinstance(value, dict) and 'stderr' in value:
        lines = [line for line in value['stderr'].splitlines() if line.strip()]
        return bool(lines) and not all('Warning' in line or line.startswith(' ') for line in lines)
    return False


def verifiers(path):
    return [
        {
            'line': number,
            'reward': row['reward'],
            'problem': row.get('example_id', canonical(row['prompt'])),
            'ground_truth': row['answer'] or None,
            'stop_reason_logged': row.get('stop_condition'),
            **conversation(row['completion'], is_marked=False),
        }
        for number, row in lines_of(path)
    ]


BLOCK = re.compile(r'```(python|output)\n(.*?)(?:\n```|\Z)', re.S)


def tir_text(text):
    """Tool-integrated reasoning: blocks of code, each with a block of output."""
    blocks = list(BLOCK.finditer(text))
    codes = [block for block in blocks if block.group(1) == 'python']
    outputs = [block for block in blocks if block.group(1) == 'output']
    prose = BLOCK.sub('', text)
    words = text[outputs[-1].end() :] if outputs else text
    ends_in_call = bool(blocks) and blocks[-1].group(1) == 'python' and text[blocks[-1].end() :].strip() == ''
    return {
        # A turn follows each output, if there is text after it.
        'turns': 1 + sum(text[block.end() :].strip() != '' for block in outputs),
        'tool_calls': len(codes),
        'tool_errors': sum(bool(re.search(r'\w*(?:Error|Exception)\b(?::|$)|^Traceback', o.group(2), re.M)) for o in outputs),
        'malformed_calls': 0,
        'answer': answer_of(prose),
    }, words, ends_in_call


def tora(path):
    records = []
    for number, row in lines_of(path):
        if 'messages' in row:
            prompt, text, logged = row['messages'][0]['content'], row['messages'][-1]['content'], None
        else:
            prompt, text, logged = row['question'], row['code'][0], row['pred'][0]
        facts, words, ends_in_call = tir_text(text)
        answer = facts['answer'] if logged is None else logged
        last = answer_of(words) if logged is None else (words.strip() or None)
        records.append(
            {
                'line': number,
                'reward': None,
                'problem': row['id'] if 'id' in row else row['idx'],
                'ground_truth': row['gt'],
                'prompt': prompt,
                **facts,
                'answer': answer,
                'stop_reason': ending(answer, last, ends_in_call),
                'stop_reason_logged': None,
                'is_correct': None if answer is None else normal(answer) == normal(row['gt']),
            }
        )
    return records


def openai_logprobs(path):
    answer = whole(path)
    if 'choices' in answer:
        choices = [(choice['message'], choice.get('finish_reason')) for choice in answer['choices']]
    else:
        choices = [({'role': 'assistant', 'content': answer['message']}, None)]
    return numbered(
        {
            'reward': None,
            'is_correct': None,
            'problem': at,
            'stop_reason_logged': word,
            **conversation([dict(message, role='assistant')], is_marked=False),
        }
        for at, (message, word) in enumerate(choices)
    )


def score_value(value):
    """Inspect's C, I, P and N, or a number or boolean."""
    return {'C': 1, 'I': 0, 'P': 0.5, 'N': 0}.get(value, value) if isinstance(value, str) else float(value)


def inspect_sample(sample):
    attachments = sample.get('attachments') or {}

    def resolved(value):
        if isinstance(value, str) and value.startswith('attachment://'):
            return attachments.get(value[len('attachment://') :], value)
        if isinstance(value, list):
            return [resolved(item) for item in value]
        if isinstance(value, dict):
            return {key: resolved(item) for key, item in value.items()}
        return value

    messages = [resolved(message) for message in sample['messages']]
    first = next(at for at, m in enumerate(messages) if m['role'] == 'assistant' and m.get('source') != 'input')
    facts = conversation(messages[first:], is_marked=False)
    facts['tool_errors'] = sum(bool(m.get('error')) or is_error(text_of(m.get('content'))) for m in messages if m['role'] == 'tool')
    score = next(iter((sample.get('scores') or {}).values()), None)
    if score is not None and score.get('answer'):
        facts['answer'] = resolved(score['answer'])
        facts['stop_reason'] = 'answer' if messages[-1]['role'] == 'assistant' else None
    value = None if score is None else score_value(score['value'])
    target = sample['target']
    return {
        'reward': value,
        'is_correct': None if value is None else value == 1,
        'problem': str(sample['id']),
        'problem_id': str(sample['id']),
        'ground_truth': (target if isinstance(target, str) else canonical(target)) or None,
        'ordinal': sample['epoch'] - 1,
        'stop_reason_logged': sample['output']['choices'][0]['stop_reason'],
        'duration': sample.get('total_time'),
        **facts,
    }


def inspect(path):
    if path.suffix == '.json':
        return [dict(inspect_sample(s), key=(str(s['id']), s['epoch'] - 1)) for s in whole(path)['samples']]
    with zipfile.ZipFile(path) as archive:
        members = [info for info in archive.infolist() if info.filename.startswith('samples/')]
        methods = {info.compress_type for info in members} - {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
        if methods:
            raise Unreadable(f'members are compressed by method {min(methods)}, which is not in the standard library')
        samples = [json.loads(archive.read(info)) for info in members]
    return [dict(inspect_sample(s), key=(str(s['id']), s['epoch'] - 1)) for s in samples]


def swe_agent(path):
    trajectory = whole(path)
    history = [m for m in trajectory['history'] if not m.get('is_demo')]
    facts = conversation(after_prompt(history)[1])
    if not any(m.get('tool_calls') for m in history):
        # Without tool calls, the fenced block at the end of a message is the call.
        facts['tool_calls'] = sum(
            m['role'] == 'assistant' and bool(re.search(r'```\n.*?\n?```\s*\Z', m['content'], re.S)) for m in history
        )
    facts['tool_errors'] = sum(is_error(step['observation']) for step in trajectory['trajectory'])
    facts['answer'] = trajectory['info'].get('submission') or None
    status = trajectory['info'].get('exit_status')
    if status == 'submitted':
        facts['stop_reason'] = 'answer'
    else:
        facts.pop('stop_reason')
    return numbered(
        [
            {
                'reward': None,
                'is_correct': None,
                'problem': str(path),
                'stop_reason_logged': status,
                **facts,
            }
        ]
    )


def agentgym(path):
    records = []
    for number, row in lines_of(path):
        record = {
            'line': number,
            'reward': row['reward'],
            'is_correct': bool(row['success']),
            'problem': row['item_id'],
            'problem_id': row['item_id'],
            'stop_reason_logged': None,
        }
        if 'conversations' in row:
            facts = conversation(after_prompt(row['conversations'])[1], is_marked=False)
            records.append({**record, **facts, 'turns': row['num_turns']})
        else:
            records.append({**record, **NO_TEXT, 'turns': row['num_assistant_turns']})
    return records


def rllm(path):
    records = []
    for messages in whole(path):
        prompt, rest = after_prompt(messages)
        records.append(
            {
                'reward': None,
                'is_correct': None,
                'problem': canonical(prompt),
                'stop_reason_logged': None,
                **conversation(rest, is_marked=False),
            }
        )
    return numbered(records)


def parquet(_path):
    raise Unreadable('Parquet is not in the standard library')


READERS = {
    'verl-val-multiturn': verl,
    'verl-rollout-singleturn': verl,
    'tau-bench': tau_bench,
    'tau2-bench': tau2_bench,
    'nemo-gym': nemo_gym,
    'verifiers': verifiers,
    'tora': tora,
    'openai-logprobs': openai_logprobs,
    'inspect': inspect,
    'swe-agent': swe_agent,
    'agentgym': agentgym,
    'rllm': rllm,
}


def reader_of(path, root):
    """The reader of a log by the folder it lies in, or None where the file is no log."""
    if path.suffix == '.parquet':
        return parquet
    if path.name == 'metadata.json' or path.suffix not in ('.jsonl', '.json', '.eval', '.traj'):
        return None
    return READERS.get(path.relative_to(root).parts[0])
