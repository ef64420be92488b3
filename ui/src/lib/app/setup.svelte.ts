// What is set up, and how it is changed: endpoints, settings, and what a project's own file makes of them. Not here: how the settings
// fold (model/app.ts), and how their forms look (ui/settings).

import { ask } from '$lib/backend/backend';
import type { CommandHome } from '$lib/generated/CommandHome';
import type { Endpoint } from '$lib/generated/Endpoint';
import type { EndpointChange } from '$lib/generated/EndpointChange';
import type { EndpointPreset } from '$lib/generated/EndpointPreset';
import type { Instructions } from '$lib/generated/Instructions';
import type { Spoken } from '$lib/generated/Spoken';
import type { KeptApproval } from '$lib/generated/KeptApproval';
import type { ModelChange } from '$lib/generated/ModelChange';
import type { ModelInfo } from '$lib/generated/ModelInfo';
import type { SettingsChange } from '$lib/generated/SettingsChange';
import type { Space } from '$lib/generated/Space';
import type { ToolInfo } from '$lib/generated/ToolInfo';
import type { ToolSettings } from '$lib/generated/ToolSettings';
import * as app from '$lib/model/app';
import { NO_CHANGE } from '$lib/model/bounds';
import type { OrionWindow } from './window.svelte';

/** An address to try, before anything is saved. */
export interface Probe {
  baseUrl: string;
  apiKey: string | null;
  /** Where no key is given: the environment variable with it, or the endpoint that has it. */
  keyVariable: string | null;
  endpoint: string | null;
  allowHttp: boolean;
}

/** What a form needs that connects a model. */
export interface Connecting {
  readonly presets: readonly EndpointPreset[];
  /** The endpoint of new turns, by its name. */
  readonly defaultEndpoint: string | null;
  /** Keys are kept in this computer's keychain. */
  readonly keychain: boolean;
  /** Servers that answer on this computer; none when that cannot be found out. */
  discover(): Promise<EndpointPreset[]>;
  /** The models of an address. Rejects with an `ErrorInfo`. */
  probe(probe: Probe): Promise<ModelInfo[]>;
  /** Saves it; `models` is how many it has, where it was asked. Rejects with an `ErrorInfo`, for the form to show in its place. */
  save(change: EndpointChange, models: number | null): Promise<void>;
}

export class Setup implements Connecting {
  /** The endpoint that was saved last, and how many models it has. */
  connected: { endpoint: string; models: number } | null = $state.raw(null);

  constructor(private readonly orion: OrionWindow) {}

  get presets(): readonly EndpointPreset[] {
    return this.orion.settings?.presets ?? [];
  }

  get defaultEndpoint(): string | null {
    return this.orion.settings?.defaultEndpoint ?? null;
  }

  /** The endpoint of the next message. */
  get answering(): Endpoint | null {
    const name = this.orion.options.endpoint ?? this.defaultEndpoint;
    return this.orion.endpoints.find((endpoint) => endpoint.name === name) ?? null;
  }

  /** It would be asked without a key that it needs. */
  get keyless(): boolean {
    const key = this.answering?.key.kind;
    return key === 'lost' || key === 'unset';
  }

  get keychain(): boolean {
    return this.orion.settings?.keychain ?? false;
  }

  async discover(): Promise<EndpointPreset[]> {
    try {
      return (await ask(this.orion.backend, { type: 'discover' })).found;
    } catch {
      return []; // Nothing that answers is no problem: the presets are there.
    }
  }

  async probe(probe: Probe): Promise<ModelInfo[]> {
    return (await ask(this.orion.backend, { type: 'probe', ...probe })).models;
  }

  /** The models of an endpoint that is set up. Rejects with an `ErrorInfo`. */
  async modelsOf(endpoint: string): Promise<ModelInfo[]> {
    return (await ask(this.orion.backend, { type: 'models', endpoint })).models;
  }

  async save(change: EndpointChange, models: number | null): Promise<void> {
    await this.orion.backend.submit({ type: 'save_endpoint', change });
    this.connected = models === null ? null : { endpoint: change.name, models };
    if (change.makeDefault) this.orion.options = { ...this.orion.options, endpoint: null, model: null };
    await this.orion.load();
  }

  async remove(name: string): Promise<void> {
    if (await this.orion.submit({ type: 'remove_endpoint', name })) await this.orion.attempt(() => this.orion.load());
  }

  /** Changes these settings, and no others. */
  async change(change: Partial<SettingsChange>): Promise<void> {
    const whole: SettingsChange = { ...NO_CHANGE, ...change };
    if (await this.orion.submit({ type: 'save_settings', change: whole }))
      await this.orion.attempt(() => this.orion.load());
  }

  /** Takes settings out of the person's file; each is named as the file does. */
  async reset(keys: string[]): Promise<void> {
    if (await this.orion.submit({ type: 'reset_settings', keys })) await this.orion.attempt(() => this.orion.load());
  }

  /** Sets what holds for a model, or for all models of an endpoint. */
  async saveModel(change: ModelChange): Promise<void> {
    if (await this.orion.submit({ type: 'save_model', change })) await this.orion.attempt(() => this.orion.load());
  }

  /** Accepts a finish reason no more. */
  async forgetReason(endpoint: string, reason: string): Promise<void> {
    if (await this.orion.submit({ type: 'forget_finish_reason', endpoint, reason }))
      await this.orion.attempt(() => this.orion.load());
  }

  /** How a model is spoken to; null when that cannot be found out, and the person sees why. `asks`: its server is asked first. */
  async spokenOf(endpoint: string, model: string, asks: boolean): Promise<Spoken | null> {
    try {
      return (await ask(this.orion.backend, { type: 'spoken', endpoint, model, asks })).spoken;
    } catch (thrown) {
      this.orion.problem(thrown);
      return null;
    }
  }

  /** Forgets what was learned of a model: it is learned anew. */
  async forgetLearned(endpoint: string, model: string): Promise<void> {
    await this.orion.submit({ type: 'forget_learned', endpoint, model });
  }

  /** What a model is told beside Orion's own words; null when it cannot be read, and the person sees why. */
  async instructions(projectId: string | null): Promise<Instructions | null> {
    try {
      return (await ask(this.orion.backend, { type: 'instructions', projectId })).instructions;
    } catch (thrown) {
      this.orion.problem(thrown);
      return null;
    }
  }

  /** Keeps the person's own instructions, for a project or for all. True when they are kept. */
  async saveInstructions(projectId: string | null, text: string): Promise<boolean> {
    return (await this.orion.submit({ type: 'save_instructions', projectId, text })) !== null;
  }

  /** Reads what is in force in the project the person is in; its file may be new or have changed. */
  async loadProject(): Promise<void> {
    const { orion } = this;
    const { projectId } = orion;
    // The project of imported sessions has no folder, so no file.
    if (projectId === null || orion.project?.path === '') return;
    await orion.attempt(async () => {
      const { settings } = await ask(orion.backend, { type: 'project_settings', projectId });
      orion.model = app.foldProjectSettings(orion.model, settings);
    });
  }

  /** The JSON Schema of a tool's arguments; null where it cannot be found out. */
  async schemaOf(tool: string): Promise<unknown> {
    // Where it is not known, the arguments are shown all alike.
    const tools = await this.#tools().catch(() => []);
    return tools.find(({ name }) => name === tool)?.parameters ?? null;
  }

  /** The tools there are; none when they cannot be asked for, and the person sees why. */
  async tools(): Promise<ToolInfo[]> {
    try {
      return await this.#tools();
    } catch (thrown) {
      this.orion.problem(thrown);
      return [];
    }
  }

  async #tools(): Promise<ToolInfo[]> {
    return (await ask(this.orion.backend, { type: 'tools', projectId: this.orion.projectId })).tools;
  }

  /** Sets what a tool may do. */
  async saveTool(tool: ToolSettings): Promise<void> {
    if (await this.orion.submit({ type: 'save_tool', tool })) await this.orion.attempt(() => this.orion.load());
  }

  /** The approvals that the person keeps; null when they cannot be read, and the person sees why. */
  async approvals(): Promise<KeptApproval[] | null> {
    try {
      return (await ask(this.orion.backend, { type: 'approvals' })).approvals;
    } catch (thrown) {
      this.orion.problem(thrown);
      return null;
    }
  }

  /** Takes an approval back. */
  async revoke(approvalId: string): Promise<void> {
    await this.orion.submit({ type: 'revoke_approval', approvalId });
  }

  /** The home that commands of a project have; null when it cannot be found out, and the person sees why. */
  async commandHome(projectId: string): Promise<CommandHome | null> {
    try {
      return (await ask(this.orion.backend, { type: 'command_home', projectId })).home;
    } catch (thrown) {
      this.orion.problem(thrown);
      return null;
    }
  }

  /** Removes what commands have put into it. True when nothing stays. */
  async clearCommandHome(projectId: string): Promise<boolean> {
    return (await this.orion.submit({ type: 'clear_command_home', projectId })) !== null;
  }

  /** The disk space that sessions use; null when it cannot be found out, and the person sees why. */
  async space(): Promise<Space | null> {
    try {
      return (await ask(this.orion.backend, { type: 'space' })).space;
    } catch (thrown) {
      this.orion.problem(thrown);
      return null;
    }
  }
}
