"""Answers a batch of Turnwise with vLLM's offline engine, without a network.

    python vllm_batch.py MODEL REQUESTS.jsonl ANSWERS.jsonl

MODEL is a folder with the weights, or a name that vLLM finds. REQUESTS.jsonl is what `turnwise sample batch` or
*Write batch* wrote; `turnwise sample read ANSWERS.jsonl` or *Read batch* takes the answers.

It follows the documented API of vLLM 0.8 to 0.10: LLM.generate, LLM.chat and SamplingParams.
"""

import argparse
import json
from collections import defaultdict

from vllm import LLM, SamplingParams


def sampling_params(body):
    """The settings of one request, with its own seed."""
    logprobs = body.get("logprobs")
    return SamplingParams(
        n=1,
        temperature=body["temperature"],
        top_p=body["top_p"],
        max_tokens=body["max_tokens"],
        seed=body["seed"],
        stop=body.get("stop"),
        # A chat request has a flag and a number, a completion has the number.
        logprobs=body.get("top_logprobs") if logprobs is True else logprobs,
    )


def answers(llm, bodies):
    """One output for each request. Requests of one kind are a batch, so vLLM samples them together."""
    kinds = defaultdict(list)
    for at, body in enumerate(bodies):
        kinds["prompt" in body, body.get("continue_final_message", False)].append(at)
    outputs = [None] * len(bodies)
    for (is_text, continues_last), places in kinds.items():
        params = [sampling_params(bodies[at]) for at in places]
        if is_text:
            found = llm.generate([bodies[at]["prompt"] for at in places], params)
        else:
            found = llm.chat(
                [bodies[at]["messages"] for at in places],
                params,
                add_generation_prompt=not continues_last,
                continue_final_message=continues_last,
            )
        for at, output in zip(places, found):
            outputs[at] = output.outputs[0]
    return outputs


def logprobs_of(output):
    """Token log-probabilities in the form of /v1/completions, or None if there are none."""
    if not output.logprobs:
        return None
    tokens, values, tops = [], [], []
    for token_id, listed in zip(output.token_ids, output.logprobs):
        sampled = listed[token_id]
        tokens.append(sampled.decoded_token)
        values.append(sampled.logprob)
        tops.append({one.decoded_token: one.logprob for one in listed.values()})
    return {"tokens": tokens, "token_logprobs": values, "top_logprobs": tops}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("requests")
    parser.add_argument("answers")
    args = parser.parse_args()
    with open(args.requests, encoding="utf-8") as file:
        requests = [json.loads(line) for line in file if line.strip()]
    # An existing file is not replaced. It is opened first, because sampling may take hours.
    with open(args.answers, "x", encoding="utf-8") as file:
        llm = LLM(model=args.model)
        outputs = answers(llm, [request["body"] for request in requests])
        for request, output in zip(requests, outputs):
            choice = {
                "index": 0,
                "text": output.text,
                "finish_reason": output.finish_reason,
                "logprobs": logprobs_of(output),
            }
            body = {"choices": [choice], "usage": {"completion_tokens": len(output.token_ids)}}
            response = {"status_code": 200, "body": body}
            file.write(json.dumps({"custom_id": request["custom_id"], "response": response, "error": None}) + "\n")


if __name__ == "__main__":
    main()
