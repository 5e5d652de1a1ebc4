import type { SearchState } from '../../../shared/api/contract.ts';
import { THRESHOLD_NAMES } from '../../../shared/domain/detectors/detectors.ts';
import { useRequest } from '../../data/useRequest.ts';
import { useSearchState } from '../../data/useSearchPages.ts';
import { PLAY_SPEEDS, THEMES, useInterface } from '../../state/interface.ts';
import { Segmented } from '../../ui/Controls.tsx';
import { Link } from '../../ui/Link.tsx';
import { bytes, count, counted } from '../../ui/numbers.ts';
import { ThresholdList } from '../../widgets/detectors/ThresholdList.tsx';
import { KeySettings } from './KeySettings.tsx';
import './settings.css';

const THEME_LABELS = { system: 'System', light: 'Light', dark: 'Dark' } as const;

export default function SettingsView() {
  const info = useRequest('host.info', {}).data;
  const files = useRequest('file.list', {}).data;
  const index = useSearchState();
  const theme = useInterface((state) => state.theme);
  const setTheme = useInterface((state) => state.setTheme);
  const playSpeed = useInterface((state) => state.playSpeed);
  const setPlaySpeed = useInterface((state) => state.setPlaySpeed);
  const masksCredentials = useInterface((state) => state.masksCredentials);
  const flip = useInterface((state) => state.flip);
  const size = files?.reduce((sum, file) => sum + file.bytes, 0);
  return (
    <div className="settings">
      <h1>Settings</h1>
      <section>
        <h2>Appearance</h2>
        <dl>
          <div>
            <dt>Theme</dt>
            <dd>
              <Segmented
                label="Theme"
                chosen={theme}
                onChoose={setTheme}
                choices={THEMES.map((id) => ({ id, label: THEME_LABELS[id] }))}
              />
            </dd>
          </div>
          <div>
            <dt>Playback speed</dt>
            <dd>
              <Segmented
                label="Playback speed"
                chosen={String(playSpeed)}
                onChoose={(chosen) =>
                  setPlaySpeed(PLAY_SPEEDS.find((speed) => String(speed) === chosen) ?? 1)
                }
                choices={PLAY_SPEEDS.map((speed) => ({ id: String(speed), label: `${speed}×` }))}
              />
            </dd>
          </div>
          <div>
            <dt>Mask credentials in messages</dt>
            <dd>
              <Segmented
                label="Mask credentials in messages"
                chosen={masksCredentials ? 'on' : 'off'}
                onChoose={(chosen) => (chosen === 'on') !== masksCredentials && flip('masksCredentials')}
                choices={[
                  { id: 'off', label: 'Off' },
                  { id: 'on', label: 'On' },
                ]}
              />
              <p className="muted">
                Shows and copies blocks in place of API keys, tokens, passwords in URLs and private keys. The
                library, its search and data sets keep the text as logged; packs mask by default.
              </p>
            </dd>
          </div>
        </dl>
      </section>
      <KeySettings />
      <section>
        <h2>This library</h2>
        <dl>
          <div>
            <dt>Library file</dt>
            <dd className="mono">{info?.libraryPath}</dd>
          </div>
          <div>
            <dt>Log files</dt>
            <dd>
              {files !== undefined &&
                size !== undefined &&
                `${counted(files.length, 'log file')}, ${bytes(size)}`}
            </dd>
          </div>
          <div>
            <dt>Search index</dt>
            <dd>{indexLabel(index)}</dd>
          </div>
          <div>
            <dt>Formats</dt>
            <dd className="settings-links">
              <Link href="/formats">Supported formats</Link>
              <Link href="/mapping">Mappings</Link>
            </dd>
          </div>
          <div>
            <dt>Allowed files and folders</dt>
            <dd>
              {info?.granted.map((path) => (
                <div key={path} className="mono">
                  {path}
                </div>
              ))}
              {info?.granted.length === 0 && (
                <span className="muted">None. Open logs, or start Turnwise with a path.</span>
              )}
            </dd>
          </div>
        </dl>
      </section>
      <section>
        <h2>Detectors</h2>
        <p className="muted">
          Thresholds of the detectors of reward hacking and degeneration, on the page Problems and in replays.
          The command line takes them as --threshold.
        </p>
        <ThresholdList names={THRESHOLD_NAMES} />
      </section>
      <section>
        <h2>About</h2>
        <dl>
          <div>
            <dt>Turnwise</dt>
            <dd>
              {info?.version} · {info?.shell} · {info?.platform}
            </dd>
          </div>
          <div>
            <dt>Endpoint for continuations</dt>
            <dd>
              {info?.endpoint === undefined ? (
                <span className="muted">
                  None. Start Turnwise with TURNWISE_ENDPOINT and TURNWISE_ENDPOINT_MODEL.
                </span>
              ) : (
                <span className="mono">
                  {info.endpoint.host} · {info.endpoint.model}
                </span>
              )}
            </dd>
          </div>
          <div>
            <dt>Privacy</dt>
            <dd>
              Logs are opened read-only. Nothing is sent unless you continue a rollout or ask a warehouse,
              both of which you name when you start Turnwise; there is no telemetry.
            </dd>
          </div>
        </dl>
      </section>
    </div>
  );
}

function indexLabel(index: SearchState | undefined): string {
  if (index === undefined) return '';
  const { indexed, rollouts } = index;
  return indexed >= rollouts
    ? `complete: ${counted(rollouts, 'rollout')}`
    : `${count(indexed)} of ${counted(rollouts, 'rollout')}; built in the background. Other rollouts are searched directly`;
}
