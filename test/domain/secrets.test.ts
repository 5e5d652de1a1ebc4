/** Which credentials are masked in configurations and texts, and what stays. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskedText } from '../../shared/domain/maskedText.ts';
import { credentialsIn, isCredentialKey, maskSecrets } from '../../shared/domain/secrets.ts';

/** The text without its credentials, as a pack has it. */
function maskText(text: string): { value: string; masked: number } {
  const ranges = credentialsIn(text).toSorted((a, b) => b.start - a.start);
  const value = ranges.reduce(
    (left, { start, end }) => `${left.slice(0, start)}••••••${left.slice(end)}`,
    text,
  );
  return { value, masked: ranges.length };
}

/** In no form that says by itself that it is a credential. */
const PLAIN = 'correct-horse-battery';
const hex = (length: number): string => '0123456789abcdef'.repeat(8).slice(0, length);
const letters = (length: number): string => 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7'.repeat(4).slice(0, length);

const KEYS = `
  api_key OPENAI_API_KEY openaiApiKey wandb-api-key apikey x-api-key service.api_key apiKey2 API_KEY_1 api_keys
  apiKeyList OPENAI_KEY WANDB_KEY azure_key ssh_key deploy_key signing_key storage_key encryption_key master_key
  secret client_secret client_secret_value aws_secret_access_key secretAccessKey AWS_ACCESS_KEY_ID private_key
  password db_password dbPassword passwd pass pwd ssh_passphrase smtp.pass Authorization credentials github_pat
  token hf_token HF_TOKEN accessToken refresh_token bearer jwt auth auth_header cookie cookies set-cookie
  hf_tokens access_tokens webhook_secret PHPSESSID accesstoken authtoken secretkey clientsecret sshkey
  dbpass PGPASSWORD passcode private_key_pem API_KEY_OPENAI account_key api_token_v2 hf_tok sas_url
  slack_webhook_url bot_token user_token db_pass connection_string connectionString DB_CONNECTION_STRING
  passwordHash kubeconfig kaggle_key swanlab_key tls_key tailscale_authkey otp_seed seed_phrase
  aws_creds api_key_prod hf_token_read github_token_ro password_old secret_prod token-prod
  dashscope_key siliconflow_key apikey_judge API_KEY_JUDGE`
  .trim()
  .split(/\s+/);

const OTHER_KEYS = `
  eos_token pad_token bos-token stop_token image_token mask_token special_token tool_token vocab_token tokens
  token_ids token_count max_tokens max_token num_tokens prompt_tokens completion_tokens policy_tokens total_tokens
  cached_tokens tokenizer tokenizer_path tokens_per_second broken keyboard monkey key keys primary_key cache_key
  sort_key group_key problem_key dict_key foreign_key secretary author authors authorized passwords_seen
  api_keys_count prompt pass_rate pass_at_k passed compass patch path pattern session_id request_id id uuid
  sha sha256 commit checksum author_email basic_rate token_entropy entropy_per_token key_name patience bypass
  authenticate_url cookie_recipe_text secret_santa_count reward_token response_token eot_token step_token
  draft_token forward_pass first_pass backward_pass base_url n_pass pass@8 val/pass@16
  mnemonic webhook yes_token no_token verdict_token newline_token
  good_token bad_token step_tag_token score_token placeholder_token wait_token continue_token nl_token prm_token
  reflection_token budget_forcing_token judge_key judge_keys app_key secret_id multi_modal_key prompt_key_openai
  endpoint_key session_keys id_key api_key_name num_tokens_new max_tokens_old`
  .trim()
  .split(/\s+/);

/** Credentials in a text by their form. The masked part is between `|` and `|` or the end. */
const FORMS: readonly string[] = [
  `gcloud run deploy x --set-env-vars OPENAI_API_KEY=|${letters(24)}|,B=c`,
  `qsub -v WANDB_API_KEY=|${hex(40)}|,HF_HOME=/x run.sh`,
  `sbatch --export WANDB_API_KEY=|${hex(40)}|,ALL run.sh`,
  `f(api_key=|${letters(24)}|,timeout=3)`,
  `run(api_key=|${hex(40)}|, x=1)`,
  `{API_KEY=|${letters(24)}|}`,
  `|sk-${letters(48)}`,
  `|sk-proj-${letters(60)}`,
  `|sk-ant-api03-${letters(80)}`,
  `|sk-or-v1-${hex(64)}`,
  `|sk-lf-${hex(32)}`,
  `|sk_live_${letters(24)}`,
  `|rk_test_${letters(24)}`,
  `|ghp_${letters(36)}`,
  `|gho_${letters(36)}`,
  `|ghs_${letters(36)}`,
  `|github_pat_${letters(22)}_${letters(59)}`,
  `|glpat-${letters(20)}`,
  `|hf_${letters(34)}`,
  `|npm_${letters(36)}`,
  `|pypi-${letters(80)}`,
  `|dckr_pat_${letters(27)}`,
  '|AKIAIOSFODNN7EXAMPLE',
  '|ASIAIOSFODNN7EXAMPLE',
  `|AIza${letters(35)}`,
  `|ya29.${letters(60)}`,
  `|GOCSPX-${letters(28)}`,
  `|dapi${hex(32)}`,
  `AccountName=x;AccountKey=|${letters(86)}==`,
  `|xoxb-123456789012-${letters(24)}`,
  `|xoxp-123456789012-${letters(24)}`,
  `|SG.${letters(22)}.${letters(43)}`,
  `bot123456789:|AA${letters(33)}`,
  `https://hooks.slack.com/services/|T000/B000/${letters(24)}`,
  `https://discord.com/api/webhooks/123456789012345678/|${letters(60)}`,
  `|nvapi-${letters(64)}`,
  `|gsk_${letters(52)}`,
  `|r8_${letters(37)}`,
  `|xai-${letters(80)}`,
  `|pplx-${letters(48)}`,
  `|tvly-${letters(32)}`,
  `|lsv2_pt_${hex(32)}_${hex(10)}`,
  `|e2b_${hex(40)}`,
  `|wandb_v1_${letters(60)}`,
  `|tgp_v1_${letters(43)}`,
  `|eyJ${letters(20)}.eyJ${letters(30)}.${letters(43)}`,
  `|-----BEGIN PRIVATE KEY-----\n${letters(64)}\n-----END PRIVATE KEY-----`,
  `|-----BEGIN OPENSSH PRIVATE KEY-----\n${letters(64)}\n`,
  `Bearer |${letters(30)}`,
  `bearer |${hex(12)}`,
  `Authorization: Basic |${letters(20)}=`,
  `"Authorization": "Token |${letters(20)}|"`,
  'postgres://user:|hunter22|@db:5432/x',
  'https://me:|hunter22|@host/path',
  'redis://:|hunter22|@cache:6379',
  `https://|${letters(30)}|@github.com/x/y.git`,
  `https://b.s3.amazonaws.com/x?X-Amz-Date=1&X-Amz-Signature=|${hex(64)}`,
  `https://b.s3.amazonaws.com/x?X-Amz-Credential=|AKIDEXAMPLE/2026/eu/s3`,
  `https://s.blob.core.windows.net/c/f?sv=2026&sig=|${letters(43)}%3D`,
  `https://storage.googleapis.com/b/f?X-Goog-Signature=|${hex(64)}`,
  `https://host/lab?token=|${hex(48)}`,
  `https://host/x?api_key=|${hex(20)}`,
  `export WANDB_API_KEY=|${PLAIN}`,
  `AWS_SECRET_ACCESS_KEY=|${PLAIN}`,
  `HF_TOKEN="|${PLAIN}|"`,
  // Output of commands
  `[default]\naws_secret_access_key = |wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY`,
  `aws_session_token = |IQoJb3JpZ2luX2Vj${letters(60)}`,
  `  user:\n    client-key-data: |LS0tLS1CRUdJTiB${letters(60)}`,
  `    token: |${letters(40)}`,
  `machine api.wandb.ai\n  login user\n  password |${hex(40)}`,
  `//npm.example/:_authToken=|${letters(36)}`,
  `{"auths": {"https://index.docker.io/v1/": {"auth": "|${letters(32)}=|"}}}`,
  `environ({'HOME': '/root', 'OPENAI_API_KEY': '|${letters(32)}|'})`,
  `{"password": "|s3cr3tpw99|"}`,
  `db:\n  password: |s3cr3tpw99`,
  `host=h user=u password=|s3cr3tpw99| dbname=d`,
  `Server=h;Uid=u;Pwd=|s3cr3tpw99|;`,
  // Arguments of commands and programs
  `curl -u user:|s3cr3tpw99| https://x.example/`,
  `curl -H "X-API-Key: |${letters(30)}|" https://x.example/`,
  `Cookie: |session=${letters(30)}`,
  `Set-Cookie: |session=${letters(30)}; HttpOnly`,
  `sshpass -p |s3cr3tpw99| ssh u@h`,
  `mycli --token |${letters(32)}`,
  `client = OpenAI(api_key="|${letters(32)}|")`,
  `https://x/cb#access_token=|${letters(40)}`,
  `postgres://u:|p@ss:w0rd|@h/db`,
  `Endpoint=sb://x/;SharedAccessKey=|${letters(43)}=`,
  `mysql -u root -p|s3cr3tpw99`,
  `docker login -u u -p |s3cr3tpw99`,
  `wandb login |${hex(40)}`,
  `wandb.login(key="|${hex(40)}|")`,
  `setx HF_TOKEN |${letters(32)}`,
  `PGPASSWORD=|s3cr3tpw99| psql`,
  // Code
  `os.environ["WANDB_API_KEY"] = "|${hex(40)}|"`,
  `os.environ['HF_TOKEN']='|${letters(32)}|'`,
  `os.environ.setdefault("WANDB_API_KEY", "|${hex(40)}|")`,
  `$config['password'] = '|S3cretPass99|';`,
  `"password" => "|S3cretPass99|"`,
  `c = Client(api_key = "|${letters(32)}|")`,
  `Client({apiKey: "|${letters(32)}|"})`,
  `apiKey := "|${letters(32)}|"`,
  `<password>|S3cretPass99|</password>`,
  `My API key is |${letters(32)}`,
  // Keys in lines of their own
  `|-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,${hex(32)}\n\n${letters(64)}\n-----END RSA PRIVATE KEY-----`,
  `|-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQdGB${letters(60)}\n-----END PGP PRIVATE KEY BLOCK-----`,
  `|b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAE${letters(40)}\n${letters(70)}`,
  `|AGE-SECRET-KEY-1${hex(58).toUpperCase()}`,
  // Prefixes
  `|whsec_${letters(32)}`,
  `|glrt-${letters(20)}`,
  `|ATBB${letters(32)}`,
  `|ATATT3xFfGF0${letters(60)}`,
  `|lin_api_${letters(40)}`,
  `|KGAT_${hex(32)}`,
  `|1//0${letters(40)}`,
  `|xapp-1-A0123456789-1234567890123-${hex(40)}`,
  `|MTIzNDU2Nzg5MDEyMzQ1Njc4.GaBcDe.${letters(38)}`,
  `|csk-${hex(48)}`,
  `|fw_${letters(24)}`,
  `|jina_${letters(60)}`,
  `|fc-${hex(32)}`,
  `|pcsk_${letters(6)}_${letters(50)}`,
  `|as-${letters(22)}`,
  `|rpa_${letters(44)}`,
  `|dop_v1_${hex(64)}`,
  `|HRKU-AA${letters(50)}`,
  `FlyV1 |fm2_${letters(60)}`,
  `|sbp_${hex(40)}`,
  `|sb_secret_${letters(31)}`,
  `|nfp_${letters(36)}`,
  `|sk_${hex(48)}`,
  `|pscale_tkn_${letters(43)}`,
  `|hvs.${letters(90)}`,
  `aBcDeFgHiJkLmN.atlasv1.|${letters(60)}`,
  `|pul-${hex(40)}`,
  `|tskey-auth-${letters(17)}-${letters(32)}`,
  `|dp.st.dev.${letters(40)}`,
  `|glsa_${letters(32)}_0123abcd`,
  `|sntrys_${letters(80)}`,
  `|NRAK-${letters(27).toUpperCase()}`,
  `|ntn_${letters(46)}`,
  `|secret_${letters(43)}`,
  `|figd_${letters(40)}`,
  `|PMAK-${hex(24)}-${hex(34)}`,
  `|pat${letters(14)}.${hex(64)}`,
  `|sl.${letters(90)}`,
  `|shpat_${hex(32)}`,
  `|sq0atp-${letters(22)}`,
  `|key-${hex(32)}`,
  `|SK${hex(32)}`,
  `abC8Q~|${letters(34)}`,
  `|pa-${letters(43)}`,
  `|AQ.Ab8RN6${letters(50)}`,
  `|GR1348941${letters(20)}`,
  `https://hooks.slack.com/triggers/|T0123ABCD/1234567890123/${letters(32)}`,
  `https://acme.webhook.office.com/webhookb2/|${hex(32)}@${hex(32)}/IncomingWebhook/${hex(32)}`,
  `redis-cli -h db -a |s3cr3tpw99`,
  `sqlcmd -S host -U sa -P |S3cretPass99`,
  `vault login |${letters(28)}`,
  `ngrok config add-authtoken |${letters(49)}`,
  `curl --proxy-user user:|s3cr3tpw99| https://x.example/`,
  `keytool -list -storepass |s3cr3tpw99`,
  `openssl rsa -passin pass:|s3cr3tpw99| -in key.pem`,
  `unzip -P |s3cr3tpw99| data.zip`,
  `7z a -p|s3cr3tpw99| data.7z`,
  `az login -u user -p |S3cretPass99`,
  `ConvertTo-SecureString "|S3cretPass99|" -AsPlainText`,
  `CREATE USER 'u'@'%' IDENTIFIED BY '|s3cr3tpw99|';`,
  `ALTER ROLE admin WITH PASSWORD '|s3cr3tpw99|';`,
  `SET PASSWORD FOR 'u' = '|s3cr3tpw99|';`,
  `requests.get(url, auth=("user", "|s3cr3tpw99|"))`,
  `HTTPBasicAuth('user', '|s3cr3tpw99|')`,
  `smtp.login("user", "|s3cr3tpw99|")`,
  `PASSWORD=$'|s3cr3tpw99|'`,
  `setenv API_KEY |${letters(32)}`,
  `:password => "|S3cretPass99|"`,
  `  - name: DB_PASSWORD\n    value: |S3cretPass99`,
  `{"name": "API_TOKEN", "value": "|${letters(32)}|"}`,
  `<add key="ApiKey" value="|${letters(32)}|" />`,
  `**Password:** |S3cretPass99`,
  `ansible_ssh_pass=|S3cretPass99`,
  `kubectl create secret generic db --from-literal=password=|S3cretPass99`,
  // Other quotes, and no quotes
  `api_key = b"|${letters(32)}|"`,
  `api_key = r'|${letters(32)}|'`,
  `const apiKey = \`|${letters(32)}|\``,
  `"{\\"api_key\\": \\"|${letters(32)}|\\"}"`,
  `['--api-key', '|${letters(32)}|']`,
  `hf_token\t|${letters(32)}`,
  `The API key is: |${letters(32)}`,
  `|eyJ${letters(30)}.${letters(43)}.48V1_ALb6US04U3b.${letters(60)}.XFBoMYUZodetZdvTiFvSkQ`,
  'https://open.feishu.cn/open-apis/bot/v2/hook/|3f2b8c1e-7d4a-4b6f-9a1c-2e5d8f7b6a90',
  'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=|3f2b8c1e-7d4a-4b6f-9a1c-2e5d8f7b6a90',
  `https://hooks.zapier.com/hooks/catch/|1234567/${letters(20)}`,
  'zip -e -P |hunter2Pw9x| out.zip file',
  '7za x a.7z "-p|hunter2Pw9x|"',
  'curl -uann:|hunter2Pw9x| http://x',
  'mongosh -u ann -p |hunter2Pw9x',
  `swanlab login -k |${letters(20)}`,
  "IDENTIFIED WITH mysql_native_password BY '|hunter2Pw9x|'",
  `ENV API_TOKEN |${letters(20)}`,
  `aws configure set aws_secret_access_key |${letters(40)}`,
  'Basic |Ym9iOmh1bnRlcjJQdzl4',
  `sbatch --export=ALL,WANDB_API_KEY=|${hex(40)}`,
  `docker run --env=WANDB_API_KEY=|${hex(40)}| image`,
  `python train.py --use_wandb |${hex(40)}`,
  'docker run -e DB_PASSWORD=|Sup3r=Secret9| image',
  'Server=h;User Id=sa;Password=|Sup3r=Secret9|;',
];

/** Only in configurations: a text of a rollout may be a program. */
const ASSIGNED: readonly string[] = [
  `python train.py --api-key |${PLAIN} --lr 1e-6`,
  `python train.py --wandb.api_key=|${PLAIN}`,
  `trainer.hf_token=|${PLAIN} trainer.n_gpus=8`,
  `--password '|${PLAIN}'`,
  `PATH=/bin HF_TOKEN=|${PLAIN} ./run.sh`,
  `env:\n  OPENAI_API_KEY: |${PLAIN}\n  MODE: fast`,
  `- client_secret: "|${PLAIN}"`,
  `{'api_key': '|${PLAIN}', 'n': 1`,
  `cfg = {"password": "|${PLAIN}"}`,
  `conn pwd=|${PLAIN};host=x`,
];

/** Forms with a `|` of their own. The credential is `letters(32)`. */
const WITH_BARS: readonly string[] = [
  `password: |\n  ${letters(32)}\nnext: 1`,
  `| name | value |\n|---|---|\n| api_key | ${letters(32)} |\n| seed | 1 |`,
  `| \`HF_TOKEN\` | \`${letters(32)}\` |`,
  `echo ${letters(32)} | sudo -S ls`,
  `echo 'root:${letters(32)}' | chpasswd`,
];

const TEXTS: readonly string[] = [
  'sk-learn-something-2024-edition',
  'redis-cli -a and sqlcmd -P take a password; vault login asks for a token',
  '| token | entropy |\n|---|---|\n| password | 0.31 |',
  'token\tlogprob\nkey\t-0.125',
  'pa-ndas; AQ. is an abbreviation',
  'the connection string is long, the database connection is not',
  "subprocess.run(['--max-tokens', '4096', '--key', 'abc'])",
  'The secret: use symmetry.',
  'Let the token be the next word of the sentence.',
  'token=next_token, key=lambda x: x[1]',
  'f(token=tokens_of_step_2,api_key=settings.openai_key_2024)',
  'def f(password=None, token=tokens[i]): return token',
  'api_key: is it {"a": 1}?',
  'bearer of good news, the Bearer certificates are due',
  'Basic arithmetic: 2 + 2 = 4',
  'sk-learn and sk-image are libraries; ask-me-anything-about-it',
  'task-0123456789abcdefghijk',
  'risk-averse-strategies-are-better',
  'hf_hub_download(repo_id)',
  'https://example.com/path?page=2&sort=key#top',
  'http://127.0.0.1:8000/v1/chat/completions',
  'https://github.com/user/repo.git',
  'mailto:someone@example.com, someone@example.com:22',
  'git@github.com:user/repo.git',
  'ratio 3:4@home',
  `sha256:${hex(64)}`,
  `commit ${hex(40)}`,
  '550e8400-e29b-41d4-a716-446655440000',
  '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
  '-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----',
  'PATH=/usr/bin:/bin\nHOME=/root\nMAX_TOKENS=4096',
  'eyJ is how base64 of {" begins',
  'The answer is 8:AA, see table.',
  'SG.5 is a group',
  'x = "AKI" + "A"',
  '?sig=3',
  'OPENAI_API_KEY=$OPENAI_API_KEY',
  'HF_TOKEN={{ token }}',
  'sk-learn-is-a-package-for-machine-learning',
  'https://example.com/?sig=nature-of-things',
  'password: required field',
  'if password == "abc12345": pass',
  'passwords = load("data/passwords_v2.txt")',
  'secret_number = random.randint(1, 10)',
  'token = tokens[position + 16]',
  'key = "abcdefghijklmnop1"',
  'cache_key = 0123456789abcdef',
  'Cookie: two cups of flour, one cup of sugar',
  'curl -s https://example.com/page:1 -o out',
  'docker run -u 1000:1000 image',
  'login to the page, then change the password there',
  'pattern = r"[a-z]+(?:[0-9]{4})abcdefgh"',
  'the tokens: 1234567890123456 of them',
  '{"token": "hello", "logprob": -0.1}',
  'as-of-now and ask-me; SK is a postal code; key-value stores',
  'M.GaBcDe.x and N.1.2',
  "an account IDENTIFIED BY its number; ALTER USER needs a PASSWORD '' there",
  'self.login(user, password); page.login("user", password)',
  'plt.scatter(x, y, name: speed value: 12.5)',
  '**Key:** the proof by contradiction1234567890',
  'PWD=/home/ann/work2/repository',
  'unzip -P needs a password; 7z -p asks for one',
  '7z a archive.7z file-part1.txt; 7z x big-pack12345.7z; unzip foo.zip SOME-Package123',
  'client.get("/users", auth=("user", "role")); session.login("alice", "home_page")',
  'CREATE USER u IDENTIFIED BY \'<password1>\'; ConvertTo-SecureString "$env:PW1"',
  'print("MAX_TOKENS=4096000", f"API_KEY={api_key}")',
  'Basic authentication; Basic Research2023Programme; echo "done" | sudo tee /etc/x',
  'curl http://api-us-west:8080/health; curl -s http://model-under-test:8000/v1/models',
  'echo $PASSWORD1 | sudo -S ls; unzip -P $ZIP_PASSWORD2 a.zip',
];

describe('a key', () => {
  it.each(KEYS)('%s names a credential', (key) => {
    expect(isCredentialKey(key)).toBe(true);
    expect(maskSecrets({ [key]: PLAIN })).toEqual({ value: { [key]: '••••••' }, masked: 1 });
  });

  it.each(OTHER_KEYS)('%s names none', (key) => {
    expect(isCredentialKey(key)).toBe(false);
    expect(maskSecrets({ [key]: PLAIN }).masked).toBe(0);
  });
});

describe('a value that looks generated', () => {
  const SECRET = letters(24);
  it.each([
    [{ judge_key: SECRET }],
    [{ session_keys: SECRET }],
    [{ openai: { key: SECRET } }],
    [{ keys: { openai: SECRET } }],
    [{ volc: { ak: SECRET, sk: SECRET } }],
    [{ mnemonic: 'legal winner thank year wave sausage worth useful legal winner thank yellow' }],
    [{ TOKEN_HF: SECRET }],
    [{ TENCENTCLOUD_SECRET_ID: SECRET }],
    [{ use_wandb: `aB3dE6${hex(34)}` }],
    [['--use_wandb', `aB3dE6${hex(34)}`]],
  ])('is masked under a key that may be one of a dictionary: %j', (config) => {
    const { value, masked } = maskSecrets<unknown>(config);
    expect(masked).toBeGreaterThan(0);
    expect(JSON.stringify(value)).not.toMatch(/aB3dE6|sausage/);
  });

  it.each([
    [{ openai: { key: 'score' } }],
    [{ keys: { openai: 'gpt-4' } }],
    [{ group: { key: SECRET } }],
    [{ judge: { key: 'gpt-4o-2024-08-06' } }],
    [{ model_key: 'meta-llama/Llama-3-8B' }],
    [{ llm_key: 'deepseek-r1-distill-qwen-7b' }],
    [{ session_key: 'rollout-000123-step-5' }],
  ])('is kept if its key names no credential, or if it does not look generated: %j', (config) => {
    expect(maskSecrets<unknown>(config)).toEqual({ value: config, masked: 0 });
  });
});

describe('a text', () => {
  const parts = (marked: string) => {
    const [kept = '', secret = ''] = marked.split('|');
    return { text: marked.replaceAll('|', ''), kept, secret };
  };

  it.each(FORMS)('loses %s', (marked) => {
    const { text, kept, secret } = parts(marked);
    for (const within of [text, `Before it.\n${text}\nAfter it.`]) {
      const { value, masked } = maskText(within);
      expect(value).toContain(`${kept}••••••`);
      expect(value).not.toContain(secret.slice(0, 12));
      expect(masked).toBeGreaterThanOrEqual(1);
      expect(maskSecrets({ note: within }).value.note).not.toContain(secret.slice(0, 12));
    }
  });

  it.each(WITH_BARS)('loses the credential in %s', (text) => {
    expect(maskText(text).value).toBe(text.replace(letters(32), '••••••'));
  });

  it.each(ASSIGNED)('of a configuration loses %s', (marked) => {
    const { text, kept } = parts(marked);
    expect(maskSecrets([text]).value[0]).toContain(`${kept}••••••`);
    expect(maskSecrets([text]).value[0]).not.toContain(PLAIN);
    expect(maskText(text)).toEqual({ value: text, masked: 0 });
  });

  it.each(TEXTS)('keeps %s', (text) => {
    expect(maskText(text)).toEqual({ value: text, masked: 0 });
  });

  it('is masked once: a second pass changes nothing', () => {
    for (const marked of [...FORMS, ...ASSIGNED]) {
      const { value } = maskSecrets({ note: marked.replaceAll('|', '') });
      expect(maskSecrets(value)).toEqual({ value, masked: 0 });
    }
  });

  it('reads no part of a text twice for JSON Web Tokens', () => {
    // Reading 4,000 characters again at every fourth would take minutes.
    expect(credentialsIn('eyJ-'.repeat(6_000_000))).toEqual([]);
  });

  it.each([
    'sk-',
    'Bearer 1',
    'https://host/x?token=',
    'eyJaaaaaaaa.eyJaaaaaaaa.',
    '-----BEGIN PRIVATE KEY-----',
  ])('is masked where ten million characters follow %s', (beginning) => {
    const [found] = credentialsIn(`${beginning}${'a'.repeat(10_000_000)}`);
    expect((found?.end ?? 0) - (found?.start ?? 0)).toBeGreaterThan(9_000);
  });

  it.each([
    ['a URL', 'http://a'],
    ['names', 'token='],
    ['a PEM block', '-----BEGIN PRIVATE KEY-----'],
    ['YAML', 'password: a b\n'],
    ['JSON', '"api_key": "'],
    ['JSON within JSON', String.raw`\\\"api_key\\\": `],
    ['a table', '| api_key '],
    ['tabs', 'api_key\t\t'],
    ['arguments', "'--api-key', "],
  ])('of a megabyte of %s is searched before the test times out', (_, piece) => {
    const text = piece.repeat(1_000_000 / piece.length);
    expect(credentialsIn(text).length).toBeGreaterThanOrEqual(0);
  });
});

describe('a configuration', () => {
  it('keeps nothing that is nested too deeply to be searched', () => {
    let config: unknown = { api_key: PLAIN };
    for (let depth = 0; depth < 20_000; depth++) config = depth % 2 === 0 ? { inner: config } : [config];
    const { value, masked } = maskSecrets({ before: 1, config });
    expect(JSON.stringify(value)).not.toContain(PLAIN);
    expect(JSON.stringify(value)).toContain('[nested too deeply]');
    expect(masked).toBe(0);
  });

  it('loses texts below a credential key, however deep, and counts them', () => {
    const { value, masked } = maskSecrets({
      env: { HF_TOKEN: 'hf_x', list: [{ password: 'p', user: 'u' }] },
      credentials: { user: 'me', key: ['k', 3, null, ''], on: true },
    });
    expect(masked).toBe(4);
    expect(value).toEqual({
      env: { HF_TOKEN: '••••••', list: [{ password: '••••••', user: 'u' }] },
      credentials: { user: '••••••', key: ['••••••', 3, null, ''], on: true },
    });
  });

  it('keeps the directory of a shell', () => {
    const environment = { PWD: '/home/ann/work2', OLDPWD: '/home/ann', pwd: 'C:\\work' };
    expect(maskSecrets({ environment, pwd: 's3cr3tpw99' })).toEqual({
      value: { environment, pwd: '••••••' },
      masked: 1,
    });
  });

  it('loses the values of named pairs and of options', () => {
    const config = {
      headers: [
        ['Authorization', PLAIN],
        ['Accept', 'json'],
      ],
      env: [
        { name: 'HF_TOKEN', value: PLAIN },
        { name: 'MODE', value: 'fast' },
      ],
      argv: ['run', '--api-key', PLAIN, '--token', '--verbose', '--lr', '1'],
      mixed: [1, `sk-${letters(20)}`],
    };
    expect(maskSecrets(config)).toEqual({
      value: {
        headers: [
          ['Authorization', '••••••'],
          ['Accept', 'json'],
        ],
        env: [
          { name: 'HF_TOKEN', value: '••••••' },
          { name: 'MODE', value: 'fast' },
        ],
        argv: ['run', '--api-key', '••••••', '--token', '--verbose', '--lr', '1'],
        mixed: [1, '••••••'],
      },
      masked: 4,
    });
  });

  it('masks keys by form, not by name, and keeps them apart', () => {
    const config = {
      [`sk-ant-${letters(30)}`]: 1,
      api_key: 2,
      [`ghp_${letters(36)}`]: { 'xoxb-1234567890': [3] },
      '••••••': 4,
      users: { token: { [`Bearer ${letters(30)}`]: 'me' } },
      '{"password": "four words"}': 5,
    };
    expect(maskSecrets(config)).toEqual({
      value: {
        '•••••• (2)': 1,
        api_key: 2,
        '•••••• (3)': { '••••••': [3] },
        '••••••': 4,
        users: { token: { 'Bearer ••••••': '••••••' } },
        '{"password":"••••••"}': 5,
      },
      masked: 6,
    });
    expect(Object.keys(maskSecrets(config).value)[0]).toBe('•••••• (2)');
  });

  it('masks many keys before the test times out', () => {
    const config = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, i) => [`sk-${letters(20)}${i}`, i]),
    );
    const { value, masked } = maskSecrets(config);
    expect([masked, Object.keys(value).length, Object.values(value)[99_999]]).toEqual([
      100_000, 100_000, 99_999,
    ]);
  });

  it('masks strings of ten million characters', () => {
    const long = 'one two three '.repeat(700_000);
    const { value, masked } = maskSecrets({
      text: `${long} sk-${letters(20)}`,
      log: `["${long}", {"api_key": "k1"}]`,
    });
    expect(masked).toBe(2);
    expect(value.text.endsWith('three  ••••••')).toBe(true);
    expect(value.log.endsWith('three ",{"api_key":"••••••"}]')).toBe(true);
  });

  it('keeps the words of a vocabulary beside their log-probabilities', () => {
    const config = {
      top: [
        { token: ' the', logprob: -0.1 },
        { token: 'pass', logprob: -2, rank: 3 },
      ],
    };
    expect(maskSecrets(config)).toEqual({ value: config, masked: 0 });
  });

  it('that has none is returned as it is', () => {
    const config = {
      lr: 1e-6,
      token: 5,
      api_key: null,
      password: '',
      secret: '$SECRET',
      ids: [1, 2],
      nested: { eos_token: '</s>' },
    };
    expect(maskSecrets(config)).toEqual({ value: config, masked: 0 });
    expect(maskSecrets(config).value).toBe(config);
  });

  it('changes nothing else', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (made) => {
        const before = JSON.stringify(made);
        const { value, masked } = maskSecrets({ made, api_key: 'secret text' });
        expect(masked).toBeGreaterThanOrEqual(1);
        expect(JSON.stringify(made)).toBe(before);
        expect(JSON.stringify(value)).not.toContain('secret text');
        expect(maskSecrets(value).value).toEqual(value);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it('as JSON text is masked too', () => {
    const { value, masked } = maskSecrets({ info: '{"api_key": "k1", "n": 1}' });
    expect([value, masked]).toEqual([{ info: '{"api_key":"••••••","n":1}' }, 1]);
  });
});

describe('a masked text', () => {
  const blocks = (length: number): string => '█'.repeat(length);

  it.each(FORMS)('has a block for each character of the credential: %s', (form) => {
    const [kept = '', secret = '', after = ''] = form.split('|');
    const before = `😀 é\n${kept}`;
    expect(maskedText(`${before}${secret}${after}`)).toBe(`${before}${blocks(secret.length)}${after}`);
  });

  // A private key without an end goes on until the next hyphen, and may take the end of the string with it.
  const ended = FORMS.filter((form) => !form.includes('OPENSSH'));
  it.each(ended)('leaves JSON within JSON readable: %s', (form) => {
    const [secret = ''] = form.split('|')[1]?.split('\n') ?? [];
    const written = JSON.stringify({ code: JSON.stringify({ text: form.replaceAll('|', ''), n: 1 }) });
    const masked = maskedText(written);
    expect(masked).not.toContain(secret);
    expect(JSON.parse(JSON.parse(masked).code)).toMatchObject({ n: 1 });
  });

  it.each([
    ['\u001b[32m', '\u001b[0m'],
    ['\u001b[01;31m\u001b[K', '\u001b[m\u001b[K'],
    ['\u001b[38:5:2m', '\u001b(B\u001b[m'],
    ['\u001b[?2004l', ''],
    ['\u009b32m', '\u009bm'],
    ['\\x1b[32m', '\\x1b[0m'],
    ['\\033[32m', '\\033[0m'],
    ['\\e[32m', '\\e[0m'],
    ['\\u001b[32m', '\\u001b[0m'],
    ['\u001b]8;;http://a.b\u0007', '\u001b]8;;\u0007'],
    ['[32m', '[0m'],
    ['[01;31m[K', '[m[K'],
    ['^[[01;31m^[[K', '^[[m^[[K'],
    ['\u001b7', '\u001b8'],
  ])('loses credentials in the colours of a terminal, and keeps these: %j', (on, off) => {
    const [token, id, plain] = [`ghp_${letters(36)}`, `AKIA${letters(16).toUpperCase()}`, letters(30)];
    const jwt = `eyJ${letters(30)}.eyJ${letters(30)}.${letters(43)}`;
    for (const secret of [token, id, jwt])
      expect(maskedText(`a ${on}${secret}${off} b`)).toBe(`a ${on}${blocks(secret.length)}${off} b`);
    expect(maskedText(`${on}OPENAI_API_KEY${off}=${on}${plain}${off}`)).toBe(
      `${on}OPENAI_API_KEY${off}=${on}${blocks(plain.length)}${off}`,
    );
    expect(maskedText(`${token.slice(0, 8)}${on}${token.slice(8)}`)).not.toContain(token.slice(8));
    expect(maskedText(`${on}Bearer ${plain}${off}`)).not.toContain(plain);
  });

  it.each([
    'redirect=a%3Ftoken%3D',
    'https%3A%2F%2Fuser%3A',
    '%22',
    '\\x22',
    '\\x0a',
    '\\042',
    '=3D',
    '\u001b[0m%3d',
    '^[(B',
    '\\E[31m',
  ])('finds credentials behind a character by its number: %s', (before) => {
    const token = `ghp_${letters(36)}`;
    expect(maskedText(`a ${before}${token} b`)).toBe(`a ${before}${blocks(token.length)} b`);
  });

  it.each(TEXTS)('is the same string if it has no credential: %s', (text) => {
    expect(maskedText(text)).toBe(text);
  });

  it('is the same when it is masked again', () => {
    const text = FORMS.map((form) => form.replaceAll('|', '')).join('\n');
    for (const each of [text, JSON.stringify({ text })])
      expect(maskedText(maskedText(each))).toBe(maskedText(each));
  });

  it('keeps its length and all other characters', () => {
    const piece = fc.oneof(
      fc.constantFrom(...FORMS.map((form) => form.replaceAll('|', '')), ...TEXTS),
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('\n', ' ', '"', '\\', '\\n', '\\"', ',', '@', '://', '█'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        const masked = maskedText(text);
        expect(masked).toHaveLength(text.length);
        for (const { start, end } of credentialsIn(text))
          expect(masked.slice(start, end)).toBe(blocks(end - start));
        for (let i = 0; i < text.length; i++)
          expect(masked[i] === text[i] || masked[i] === '█', `${text} at ${i}`).toBe(true);
      }),
      { seed: 11, numRuns: 400 },
    );
  });
});
