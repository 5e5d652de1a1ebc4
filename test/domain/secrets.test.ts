/** Which keys name credentials, how values are masked, and what stays unchanged. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isCredentialKey, maskSecrets } from '../../shared/domain/secrets.ts';

it.each([
  ...['api_key', 'OPENAI_API_KEY', 'openaiApiKey', 'wandb-api-key', 'apikey', 'x-api-key', 'service.api_key'],
  ...[
    'secret',
    'client_secret',
    'aws_secret_access_key',
    'secretAccessKey',
    'AWS_ACCESS_KEY_ID',
    'private_key',
  ],
  ...['password', 'db_password', 'dbPassword', 'passwd', 'ssh passphrase', 'Authorization', 'credentials'],
  ...['token', 'hf_token', 'HF_TOKEN', 'accessToken', 'bearer'],
])('%s is a credential', (key) => {
  expect(isCredentialKey(key)).toBe(true);
});

it.each([
  ...['eos_token', 'pad_token', 'bos-token', 'stop_token', 'image_token', 'mask_token', 'special_token'],
  ...[
    'tokens',
    'token_ids',
    'max_tokens',
    'tokenizer',
    'broken',
    'keyboard',
    'monkey',
    'secretary',
    'author',
  ],
  ...['authorized', 'passwords_seen', 'api_keys_count', 'prompt', ''],
])('%s is not a credential', (key) => {
  expect(isCredentialKey(key)).toBe(false);
});

it('masks texts below such a key, however deep, and counts them', () => {
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

it('returns the same value if nothing is masked', () => {
  const config = {
    lr: 1e-6,
    token: 5,
    api_key: null,
    password: '',
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

it('finds credentials in JSON text, and keeps other texts', () => {
  const { value, masked } = maskSecrets({
    info: '{"api_key": "k1", "n": 1}',
    note: 'the api_key: is {"a": 1}',
  });
  expect([value, masked]).toEqual([
    { info: '{"api_key":"••••••","n":1}', note: 'the api_key: is {"a": 1}' },
    1,
  ]);
});

it.each(['auth', 'cookie', 'api_keys', 'apiKeyList'])('masks a credential under the key %s', (key) => {
  expect(isCredentialKey(key)).toBe(true);
});

it.each(['tokens', 'max_token', 'author', 'stop_token'])('keeps %s', (key) => {
  expect(isCredentialKey(key)).toBe(false);
});
